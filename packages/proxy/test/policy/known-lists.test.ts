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
  // Nothing else is looked at.
  return { message: { kind: 'request', text: '{}', id: '1', method, params: undefined } } as ClientExchange;
}

function remembering(text: string, method = 'tools/list'): KnownLists {
  const lists = new KnownLists();
  const message = parseServerMessage(text);
  if (typeof message === 'string') throw new Error(message);
  lists.remember(message, exchangeOf(method));
  return lists;
}

describe('lists that came before', () => {
  it('are recalled with another id, as the same frozen value, and known as unambiguous', () => {
    const lists = remembering(answerWith('1'));
    const recalled = lists.recall(answerWith('"two"'));
    expect(recalled).to.deep.equal(JSON.parse(answerWith('"two"')));
    expect(lists.knows(recalled)).to.equal(true);
    expect(lists.recall(answerWith('3'))?.['result']).to.equal(recalled?.['result']);
    expect(recalled?.['result']).to.be.frozen;
  });

  const different: readonly (readonly [what: string, text: string])[] = [
    ['another letter', answerWith('1', RESULT.replace('tool-99', 'tool-9x'))],
    ['an item more', answerWith('1', `${RESULT.slice(0, -2)},{"name":"more"}]}`)],
    ['a member beside the list', answerWith('1', `${RESULT.slice(0, -1)},"nextCursor":"2"}`)],
    ['a second result', `${answerWith('1').slice(0, -1)},"result":{"tools":[]}}`],
    ['a result before it', `{"result":{"tools":[]},${answerWith('1').slice(1)}`],
    ['the name of the result in capitals beside it', `${answerWith('1').slice(0, -1)},"Result":1}`],
    ['the result deeper', `{"jsonrpc":"2.0","id":1,"x":{"result":${RESULT}}}`],
    ['what is no JSON behind it', `${answerWith('1')}x`],
    ['what is no JSON before it', `{"jsonrpc":"2.0","id":01,"result":${RESULT}}`],
    ['the result as a text', answerWith('1', JSON.stringify(RESULT))],
    ['the result in a list', answerWith('1', `[${RESULT}]`)],
    ['a longer envelope', answerWith(`"${'x'.repeat(2000)}"`)],
  ];
  for (const [what, text] of different) {
    it(`are not recalled for ${what}`, () => {
      expect(remembering(answerWith('1')).recall(text)).to.equal(undefined);
    });
  }

  it('are recalled only for what JSON reads in the same way, and nothing could read in another', () => {
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

  it('are those of lists alone, neither short nor very long, and not so many that memory grows', () => {
    expect(remembering(answerWith('1'), 'tools/call').recall(answerWith('2'))).to.equal(undefined);
    const short = answerWith('1', '{"tools":[]}');
    expect(remembering(short).recall(short)).to.equal(undefined);
    const long = answerWith('1', JSON.stringify({ tools: [{ name: 'a', title: 'x'.repeat(600_000) }] }));
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
    expect(kept).to.deep.equal(texts.slice(-6));
  });
});
