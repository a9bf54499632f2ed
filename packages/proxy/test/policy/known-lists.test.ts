import { findAmbiguity, type Message, parseServerMessage, spliceChanges } from '@portolan/mcp-protocol';
import type { ClientExchange, MessageChange } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { KnownLists } from '../../src/policy/known-lists.ts';
import { trials } from '../../../../test/support/soak.ts';

const RESULT = JSON.stringify({
  tools: Array.from({ length: 100 }, (_none, at) => ({ name: `tool-${at}`, description: 'x'.repeat(60) })),
});
const answerWith = (id: string, result = RESULT): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

function exchangeOf(method: string): ClientExchange {
  // KnownLists reads only these members.
  return { message: { kind: 'request', text: '{}', id: '1', method, params: undefined } } as ClientExchange;
}

function readResponse(lists: KnownLists, text: string): Message {
  const message = parseServerMessage(text, lists.recall(text));
  if (typeof message === 'string') throw new Error(message);
  return message;
}

function remembering(text: string, method = 'tools/list'): KnownLists {
  const lists = new KnownLists();
  lists.remember(readResponse(lists, text), exchangeOf(method));
  return lists;
}

describe('KnownLists', () => {
  it('returns a cached list for another id, as the same frozen value', () => {
    const lists = remembering(answerWith('1'));
    const recalled = lists.recall(answerWith('"two"'));
    expect(recalled).to.deep.equal(JSON.parse(answerWith('"two"')));
    expect(lists.knows(recalled)).to.equal(true);
    expect(lists.recall(answerWith('3'))?.['result']).to.equal(recalled?.['result']);
    expect(recalled?.['result']).to.be.frozen;
  });

  const different: readonly (readonly [what: string, text: string])[] = [
    ['a list with another character', answerWith('1', RESULT.replace('tool-99', 'tool-9x'))],
    ['a list with another item', answerWith('1', `${RESULT.slice(0, -2)},{"name":"more"}]}`)],
    ['a result with another member', answerWith('1', `${RESULT.slice(0, -1)},"nextCursor":"2"}`)],
    ['a second member "result"', `${answerWith('1').slice(0, -1)},"result":{"tools":[]}}`],
    ['an earlier member "result"', `{"result":{"tools":[]},${answerWith('1').slice(1)}`],
    ['an additional member "Result"', `${answerWith('1').slice(0, -1)},"Result":1}`],
    ['a nested result', `{"jsonrpc":"2.0","id":1,"x":{"result":${RESULT}}}`],
    ['invalid JSON after the result', `${answerWith('1')}x`],
    ['invalid JSON before the result', `{"jsonrpc":"2.0","id":01,"result":${RESULT}}`],
    ['the result as a string', answerWith('1', JSON.stringify(RESULT))],
    ['the result in a list', answerWith('1', `[${RESULT}]`)],
    ['a longer envelope', answerWith(`"${'x'.repeat(2000)}"`)],
  ];
  for (const [what, text] of different) {
    it(`returns nothing for ${what}`, () => {
      expect(remembering(answerWith('1')).recall(text)).to.equal(undefined);
    });
  }

  it('returns a cached list only for unambiguous texts that JSON.parse reads in the same way', () => {
    const lists = remembering(answerWith('1'));
    const part = fc.constantFrom(
      '"jsonrpc":"2.0"',
      '"id":1',
      '"id":"a"',
      '"ID":2',
      '"x":{"result":1}',
      '"result":null',
      `"result":${RESULT}`,
      ` "result" :\n${RESULT} `,
      `"re\\u0073ult":${RESULT}`,
      '"y":"\\"result\\":{',
      '',
    );
    const text = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `{${parts.join(',')}}`);
    let recalls = 0;
    fc.assert(
      fc.property(text, (said) => {
        const recalled = lists.recall(said);
        if (recalled === undefined) return;
        recalls += 1;
        expect(recalled).to.deep.equal(JSON.parse(said));
        expect(findAmbiguity(said)).to.equal(undefined);
      }),
      trials({ short: 5000 }),
    );
    expect(recalls).to.be.above(50);
  });

  describe('changeAgain', () => {
    const named = RESULT.replaceAll('tool-', 'member-');
    const json = JSON.stringify(JSON.parse(named).tools);
    const change = { path: ['result', 'tools'], json };

    function changing(): { readonly lists: KnownLists; readonly recalled: Message } {
      const lists = remembering(answerWith('1'));
      const [before, after] = [answerWith('1'), answerWith('1', named)].map((text) =>
        readResponse(lists, text),
      );
      if (before === undefined || after === undefined) throw new Error('both are responses');
      lists.remember(after, exchangeOf('tools/list'));
      lists.rememberChange(before, [change], after);
      return { lists, recalled: readResponse(lists, answerWith('"two"')) };
    }

    it('returns the changed list for another id', () => {
      const { lists, recalled } = changing();
      const changed = lists.changeAgain(recalled, [{ ...change }]);
      expect(changed?.text).to.equal(spliceChanges(recalled.text, [change]));
      expect(changed).to.deep.equal(parseServerMessage(changed?.text ?? ''));
      expect(lists.knows(changed)).to.equal(true);
    });

    const others: readonly (readonly [what: string, changes: readonly MessageChange[]])[] = [
      ['another value', [{ ...change, json: '[]' }]],
      ['another path', [{ ...change, path: ['result', 'prompts'] }]],
      ['a removal', [{ ...change, json: undefined }]],
      ['a second change', [change, { path: ['result', 'nextCursor'], json: '"a"' }]],
      ['no change', []],
    ];
    for (const [what, changes] of others) {
      it(`returns nothing for ${what}`, () => {
        const { lists, recalled } = changing();
        expect(lists.changeAgain(recalled, changes)).to.equal(undefined);
      });
    }

    it('returns nothing for a response whose text has another result', () => {
      const { lists, recalled } = changing();
      const text = answerWith('1', RESULT.replace('tool-99', 'tool-9x'));
      expect(lists.changeAgain({ ...recalled, text }, [change])).to.equal(undefined);
    });

    it('returns nothing after the changed list is evicted', () => {
      const { lists, recalled } = changing();
      for (let at = 0; at < 16; at += 1) {
        expect(readResponse(lists, answerWith('3'))).to.have.property('kind', 'response');
        const text = answerWith('1', RESULT.replace('tool-0', `other-${at}`));
        lists.remember(readResponse(lists, text), exchangeOf('tools/list'));
      }
      expect(lists.changeAgain(recalled, [change])).to.equal(undefined);
    });
  });

  it('caches only lists of a certain size, up to a maximum in total', () => {
    expect(remembering(answerWith('1'), 'tools/call').recall(answerWith('2'))).to.equal(undefined);
    const short = answerWith('1', '{"tools":[]}');
    expect(remembering(short).recall(short)).to.equal(undefined);
    const long = answerWith('1', JSON.stringify({ tools: [{ name: 'a', title: 'x'.repeat(1_200_000) }] }));
    expect(remembering(long).recall(long)).to.equal(undefined);
    const lists = new KnownLists();
    const texts = Array.from({ length: 40 }, (_none, at) =>
      answerWith('1', JSON.stringify({ tools: [{ name: `t${at}`, title: 'x'.repeat(300_000) }] })),
    );
    for (const text of texts) {
      const message = parseServerMessage(text);
      if (typeof message !== 'string') lists.remember(message, exchangeOf('tools/list'));
    }
    const kept = texts.filter((text) => lists.recall(text) !== undefined);
    expect(kept).to.deep.equal(texts.slice(-13));
  });
});
