import { findAmbiguity, parseServerMessage } from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';
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

function remembering(text: string, method = 'tools/list'): KnownLists {
  const lists = new KnownLists();
  const message = parseServerMessage(text);
  if (typeof message === 'string') throw new Error(message);
  lists.remember(message, exchangeOf(method));
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
