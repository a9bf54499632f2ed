import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { findWords } from '../src/consumer/list-filter.ts';

const listOf = (texts: readonly string[]) => texts.map((searched) => ({ searched }));

describe('findWords', () => {
  // A long list, in which the texts that are drawn stand somewhere.
  const FILLING = Array.from({ length: 1500 }, (_, index) => `harbour ${index} of the tides`);
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä', '漢', '😀', '-'), maxLength: 12 });

  it('returns the same entries as a search of each text, in order, for lists of any length', async () => {
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

  it('yields to other work during a long list', async () => {
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
