import { expect } from 'chai';
import fc from 'fast-check';
import { NumberSet } from '../src/known-texts.ts';

describe('NumberSet', () => {
  it('behaves like a Set', () => {
    const numbers = fc.oneof(fc.nat({ max: 2 ** 52 - 1 }), fc.nat({ max: 3000 }), fc.constant(1024));
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 4000 }), (added) => {
        const set = new NumberSet();
        const model = new Set<number>();
        for (const number of added) {
          expect(set.add(number)).to.equal(!model.has(number));
          model.add(number);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('grows beyond its initial capacity, also with collisions', () => {
    const set = new NumberSet();
    for (let number = 0; number < 5000; number += 1) expect(set.add(number * 1024)).to.equal(true);
    for (let number = 0; number < 5000; number += 1) expect(set.add(number * 1024)).to.equal(false);
  });
});
