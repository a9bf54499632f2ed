import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { faultOfNode, RCODE, readMessage, syntheticAddress, writeAnswer } from '../../src/relay/relay.ts';
import { readRelayProgram } from '../../src/relay/relay-program.ts';

interface Query {
  readonly name?: string;
  readonly type?: number;
  readonly flags?: number;
  readonly questions?: number;
  readonly class?: number;
  readonly tail?: string;
  readonly additional?: number;
}

/** Returns a DNS query as resolvers send it; `tail` is hexadecimal. */
function query({ name = 'api.acme.example', tail = '', ...more }: Query = {}): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const section = labels.map((label) =>
    Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
  );
  const head = Buffer.alloc(12);
  const values = [7, more.flags ?? 0x0100, more.questions ?? 1, 0, 0, more.additional ?? 0];
  values.forEach((value, at) => head.writeUInt16BE(value, 2 * at));
  const end = Buffer.from([0, 0, more.type ?? 1, 0, more.class ?? 1]);
  return Buffer.concat([head, ...section, end, Buffer.from(tail, 'hex')]);
}

describe('faultOfNode', () => {
  it('names the required version, and the setting for the image', () => {
    expect(faultOfNode('v20.20.2')?.message)
      .to.include('has Node.js v20.20.2')
      .and.to.include('Node.js 22 or newer is needed')
      .and.to.include('gateway.image');
    for (const version of ['v22.0.0', 'v24.21.0', process.version])
      expect(faultOfNode(version)).to.equal(undefined);
  });
});

describe('readMessage', () => {
  it('parses a DNS question with its name in lowercase and its original bytes', () => {
    const read = readMessage(query({ name: 'API.Acme.Example', type: 28 }));
    expect(read).to.have.nested.include({
      kind: 'question',
      'question.name': 'api.acme.example',
      'question.type': 28,
      'question.hasOptions': false,
    });
    expect(read?.kind === 'question' && read.question.section.includes('API')).to.equal(true);
  });

  it('parses options (RFC 6891)', () => {
    const read = readMessage(query({ additional: 1, tail: '00002904d0000000000000' }));
    expect(read).to.have.nested.property('question.hasOptions', true);
  });

  it('replaces bytes that are invalid in a name', () => {
    expect(readMessage(query({ name: 'a b.ü\u0000.x' }))).to.have.nested.property(
      'question.name',
      'a?b.??.x',
    );
  });

  const faults: readonly (readonly [string, Buffer, number | undefined])[] = [
    ['an answer', query({ flags: 0x8180 }), undefined],
    ['less than a head', query().subarray(0, 11), undefined],
    ['another operation', query({ flags: 0x2800 }), RCODE.notImplemented],
    ['no question', query({ questions: 0 }), RCODE.format],
    ['two questions', query({ questions: 2 }), RCODE.format],
    ['a question that is cut off', query().subarray(0, 30), RCODE.format],
    ['a label that is cut off', query().subarray(0, 14), RCODE.format],
    [
      'a compressed name',
      Buffer.concat([query().subarray(0, 12), Buffer.from('c00c00010001', 'hex')]),
      RCODE.format,
    ],
    [
      'a name that is too long',
      query({ name: Array.from({ length: 5 }, () => 'x'.repeat(63)).join('.') }),
      RCODE.format,
    ],
  ];
  for (const [title, bytes, rcode] of faults) {
    it(`responds to ${title} with ${rcode === undefined ? 'nothing' : `code ${rcode}`}`, () => {
      const read = readMessage(bytes);
      expect(read?.kind === 'error' ? read.rcode : read).to.equal(rcode);
    });
  }

  it('does not throw on any bytes', () => {
    const head = query().subarray(0, 12);
    const bytes = fc.uint8Array({ maxLength: 300 }).map((rest) => Buffer.concat([head, rest]));
    fc.assert(fc.property(fc.oneof(bytes, fc.uint8Array()), (one) => void readMessage(Buffer.from(one))));
  });
});

describe('writeAnswer', () => {
  it('returns a DNS response with the question and the address', () => {
    const read = readMessage(query());
    if (read?.kind !== 'question') throw new Error('no question');
    const answer = writeAnswer(read.question, RCODE.none, '127.80.1.2');
    expect(answer.subarray(0, 12).toString('hex')).to.equal('000785800001000100000000');
    expect(answer.subarray(12, 12 + read.question.section.length)).to.deep.equal(read.question.section);
    expect(answer.subarray(-16).toString('hex')).to.equal('c00c000100010000003c00047f500102');
  });
});

describe('syntheticAddress', () => {
  it('assigns a distinct address to each name, none that ends with 0 or 255', () => {
    const all = Array.from({ length: 1024 }, (_, at) => syntheticAddress(at));
    expect(new Set(all).size).to.equal(1024);
    expect(all[0]).to.equal('127.80.0.1');
    expect(all[254]).to.equal('127.80.1.1');
    expect(all.filter((one) => /\.(0|255)$/.test(one))).to.deep.equal([]);
  });
});

describe('readRelayProgram', () => {
  it('returns one module that imports only Node.js modules', async () => {
    const { source } = await readRelayProgram();
    const imported = [...source.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? '');
    expect(imported).to.not.be.empty;
    expect(imported.filter((name) => !name.startsWith('node:'))).to.deep.equal([]);
    expect(source).to.not.match(/\binterface \w+ \{/);
  });

  it('compiles the TypeScript source without a warning', async () => {
    const program = new URL('../../src/relay/relay-program.ts', import.meta.url).href;
    const script = `await (await import(${JSON.stringify(program)})).readRelayProgram(); process.emitWarning('heard')`;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stderr).to.include('heard').and.not.include('Experimental');
  });
});
