import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Message } from '../../src/message/message.ts';
import { parseBatch, parseClientBody, parseServerMessage } from '../../src/message/parse-message.ts';

describe('parseClientBody', () => {
  const understood = [
    { title: 'a request', text: '{"jsonrpc":"2.0","id":1,"method":"ping"}', kind: 'request' },
    { title: 'a notification', text: '{"jsonrpc":"2.0","method":"x","params":{}}', kind: 'notification' },
    { title: 'a result', text: '{"jsonrpc":"2.0","id":"a","result":null}', kind: 'response' },
    { title: 'an error', text: '{"jsonrpc":"2.0","id":"a","error":{"code":1}}', kind: 'response' },
    {
      title: 'a message after a byte order mark',
      text: '\u{FEFF}{"jsonrpc":"2.0","method":"x"}',
      kind: 'notification',
    },
    {
      title: 'names of the language as names of arguments',
      text: '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"name":"t","arguments":{"__proto__":{"x":1},"constructor":2}}}',
      kind: 'request',
    },
    {
      title: 'arguments nested 500 deep',
      text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${nested(500)}}}`,
      kind: 'request',
    },
    {
      title: 'equal names in different objects, and text that looks like names',
      text: '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"id":1},"b":[{"id":2},"id","{\\"id\\":1,"]}}',
      kind: 'request',
    },
  ];
  for (const { title, text, kind } of understood) {
    it(`parses ${title}`, () => {
      expect(parse(text)).to.include({ kind });
    });
  }

  const refused = [
    { title: 'nothing', text: '', code: 'ERR_MESSAGE_NOT_JSON' },
    { title: 'half a message', text: '{"jsonrpc":"2.0","id":1,', code: 'ERR_MESSAGE_NOT_JSON' },
    { title: 'two messages', text: '{}{}', code: 'ERR_MESSAGE_NOT_JSON' },
    { title: 'a number', text: '12', code: 'ERR_MESSAGE_INVALID' },
    { title: 'another version', text: '{"jsonrpc":"1.0","id":1,"method":"x"}', code: 'ERR_MESSAGE_INVALID' },
    { title: 'an id that is null', text: request('null'), code: 'ERR_MESSAGE_INVALID' },
    { title: 'an id that is true', text: request('true'), code: 'ERR_MESSAGE_INVALID' },
    { title: 'an id that is an object', text: request('{}'), code: 'ERR_MESSAGE_INVALID' },
    { title: 'an id with a fraction', text: request('1.5'), code: 'ERR_MESSAGE_INVALID' },
    {
      title: 'params that are a list',
      text: '{"jsonrpc":"2.0","id":1,"method":"x","params":[]}',
      code: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'a method and a result',
      text: '{"jsonrpc":"2.0","id":1,"method":"x","result":1}',
      code: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'a result and an error',
      text: '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}',
      code: 'ERR_MESSAGE_INVALID',
    },
    { title: 'neither', text: '{"jsonrpc":"2.0","id":1}', code: 'ERR_MESSAGE_INVALID' },
    {
      title: 'a tool without a name',
      text: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}',
      code: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'two methods',
      text: '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'two methods, one of them escaped',
      text: '{"jsonrpc":"2.0","id":1,"method":"a","m\\u0065thod":"b"}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'two equal arguments',
      text: '{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":1,"a":2}}}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'a method in capitals',
      text: '{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'a name in capitals',
      text: '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"a","NAME":"b"}}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'params with a long s, which some programs take for an s',
      text: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"param\u{17F}":{"name":"b"}}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'a task by the sign of Kelvin, which some programs take for a k',
      text: '{"jsonrpc":"2.0","id":1,"method":"a","params":{"taskId":"a","tas\\u212aId":"b"}}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    ...['"params":{"ref":{"type":"ref/prompt","name":"a","Name":"b"}}', '"params":{"REF":{}}'].map(
      (params) => ({
        title: `another ref in capitals: ${params}`,
        text: `{"jsonrpc":"2.0","id":1,"method":"completion/complete",${params}}`,
        code: 'ERR_MESSAGE_AMBIGUOUS',
      }),
    ),
    {
      title: 'resources to listen to in capitals',
      text: '{"jsonrpc":"2.0","id":1,"method":"a","params":{"notifications":{"ResourceSubscriptions":["file:///b"]}}}',
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'params nested 65 deep',
      text: `{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":${nested(63)}}}`,
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
    {
      title: 'arguments nested 100000 deep',
      text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${nested(100_000)}}}`,
      code: 'ERR_MESSAGE_AMBIGUOUS',
    },
  ];
  for (const { title, text, code } of refused) {
    it(`refuses ${title}`, () => {
      expect(codeOf(() => parse(text))).to.equal(code);
    });
  }

  it('refuses a body that is not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect(codeOf(() => parseClientBody(bytes))).to.equal('ERR_MESSAGE_NOT_JSON');
  });

  it('keeps the spelling of ids, and distinguishes strings from numbers', () => {
    for (const id of ['9007199254740993', '1', '"1"', '""', `"${'x'.repeat(1024)}"`, '"\\u0061"']) {
      expect(parse(request(id))).to.have.nested.property('id.text', id);
    }
    const [one, text] = [parse(request('1')), parse(request('"1"'))];
    expect(one)
      .to.have.nested.property('id.key')
      .that.is.not.equal(text.kind === 'request' && text.id.key);
  });

  it('gives ids of the same value the same key, however they are written', () => {
    const keyOf = (id: string): unknown => {
      const message = parse(request(id));
      return message.kind === 'request' ? message.id.key : undefined;
    };
    for (const [id, same] of [
      ['1e2', '100'],
      ['-0', '0'],
      ['1.0', '1'],
      ['-2.50e1', '-25'],
    ] as const) {
      expect(parse(request(id))).to.have.nested.property('id.text', id);
      expect(keyOf(id), id).to.equal(keyOf(same));
    }
    expect(keyOf('9007199254740993')).not.to.equal(keyOf('9007199254740992'));
    expect(keyOf('1')).not.to.equal(keyOf('-1'));
  });

  it('treats everything that starts like a batch as a batch, valid or not', () => {
    for (const text of ['[]', ' [', '\v[{}]', '\n\t[1']) {
      expect(parseClientBody(Buffer.from(text)).form).to.equal('batch');
    }
  });

  it('finds a duplicate name at any depth, and none where there is none', () => {
    const names = fc.string({ minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(names, fc.array(names, { maxLength: 4 }), fc.boolean(), (name, path, repeats) => {
        const twin = repeats ? `,${JSON.stringify(name)}:2` : '';
        const inner = path.reduceRight(
          (value, step) => `{${JSON.stringify(step)}:[${value}]}`,
          `{${JSON.stringify(name)}:"}{"${twin}}`,
        );
        const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":${inner}}}`;
        expect(codeOf(() => parse(text))).to.equal(repeats ? 'ERR_MESSAGE_AMBIGUOUS' : undefined);
      }),
    );
  });

  it('throws an error with a code for any invalid input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          try {
            parseClientBody(bytes);
          } catch (error) {
            expect(isPortolanError(error), String(error)).to.equal(true);
          }
        },
      ),
    );
  });
});

describe('parseBatch', () => {
  it('returns each message as it was written', () => {
    const messages = parseBatch(
      ' [ {"jsonrpc":"2.0","id":1.0,"method":"a"} , {"jsonrpc":"2.0","method":"b"}]\n',
    );
    expect(messages.map(({ text }) => text)).to.deep.equal([
      '{"jsonrpc":"2.0","id":1.0,"method":"a"}',
      '{"jsonrpc":"2.0","method":"b"}',
    ]);
  });

  const refused = [
    { title: 'an empty one', text: '[]', code: 'ERR_MESSAGE_INVALID' },
    { title: 'a broken one', text: '[{"jsonrpc"', code: 'ERR_MESSAGE_INVALID' },
    { title: 'one in another blank', text: '\v[]', code: 'ERR_MESSAGE_INVALID' },
    {
      title: '51 messages',
      text: `[${Array.from({ length: 51 }, (_, id) => request(String(id))).join()}]`,
      code: 'ERR_MESSAGE_INVALID',
    },
    {
      title: '"initialize"',
      text: '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]',
      code: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'requests and responses',
      text: `[${request('1')},{"jsonrpc":"2.0","id":2,"result":1}]`,
      code: 'ERR_MESSAGE_INVALID',
    },
    { title: 'one id twice', text: `[${request('1')},${request('1')}]`, code: 'ERR_MESSAGE_INVALID' },
    { title: 'a batch in a batch', text: '[[]]', code: 'ERR_MESSAGE_INVALID' },
  ];
  for (const { title, text, code } of refused) {
    it(`refuses ${title}`, () => {
      expect(codeOf(() => parseBatch(text))).to.equal(code);
    });
  }
});

describe('parseServerMessage', () => {
  const faults = [
    { title: 'text', text: 'Server started: {"jsonrpc":"2.0","id":1,"result":1}' },
    { title: 'coloured text', text: '\u{1b}[32mready\u{1b}[0m' },
    { title: 'a list', text: '[]' },
    { title: 'two ids', text: '{"jsonrpc":"2.0","id":1,"id":2,"result":1}' },
    { title: 'two tokens', text: '{"jsonrpc":"2.0","method":"a","params":{"_meta":{"x":1,"x":2}}}' },
  ];
  for (const { title, text } of faults) {
    it(`returns the reason why it rejects ${title}`, () => {
      expect(parseServerMessage(text)).to.be.a('string');
    });
  }

  it('accepts a result of any type', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2,"Method":3}}';
    expect(parseServerMessage(text)).to.include({ kind: 'response', text });
  });

  it('keeps line separators inside strings', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":"a\u{2028}b"}';
    expect(parseServerMessage(text)).to.include({ result: 'a\u{2028}b' });
  });
});

function parse(text: string): Message {
  const parsed = parseClientBody(Buffer.from(text));
  if (parsed.form !== 'message') throw new TypeError('not one message');
  return parsed.message;
}

function request(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
}

/** Arrays in arrays, the innermost empty. */
function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
  return undefined;
}
