import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { findWords } from '../src/consumer/find-words.ts';

const listOf = (texts: readonly string[]) => texts.map((searched) => ({ searched }));

describe('words in lists', () => {
  // A long list, in which the texts that are drawn stand somewhere.
  const FILLING = Array.from({ length: 1500 }, (_, index) => `harbour ${index} of the tides`);
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä', '漢', '😀', '-'), maxLength: 12 });

  it('are found as a look into each text finds them, in lists of any length and in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(letters, { maxLength: 20 }),
        fc.nat(FILLING.length),
        fc.array(fc.oneof(letters, fc.constantFrom('tide', 'har', '14', '7 of', 'tidez')), { maxLength: 3 }),
        fc.boolean(),
        async (texts, place, words, isLong) => {
          const list = listOf(isLong ? FILLING.toSpliced(place, 0, ...texts) : texts);
          const plain = list.filter(({ searched }) => words.every((word) => searched.includes(word)));
          expect(await findWords(list, words, setImmediate)).to.deep.equal(plain);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are looked for in turns: what waits need not wait until all of a long list is done', async () => {
    const list = listOf(
      Array.from({ length: 20_000 }, (_, index) => `${index} ${'harbour and tide '.repeat(20)}`),
    );
    let turns = 0;
    await findWords(list, ['tide', 'nothing'], async () => {
      turns += 1;
    });
    expect(turns).to.be.above(3);
  });
});
