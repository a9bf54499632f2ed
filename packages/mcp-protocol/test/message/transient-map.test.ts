import { expect } from 'chai';
import fc from 'fast-check';
import { TransientMap } from '../../src/message/transient-map.ts';

describe('TransientMap', () => {
  it('behaves like a Map, including the order', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.oneof(
      fc.record({ does: fc.constant('set' as const), key, value: fc.nat() }),
      fc.record({ does: fc.constant('take' as const), key }),
      fc.record({ does: fc.constant('delete' as const), key }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [tested, known] = [new TransientMap<string, number>(), new Map<string, number>()];
        for (const one of steps) {
          if (one.does === 'set') {
            tested.set(one.key, one.value);
            known.set(one.key, one.value);
          } else {
            if (one.does === 'take') expect(tested.take(one.key)).to.equal(known.get(one.key));
            else tested.delete(one.key);
            known.delete(one.key);
          }
          expect(tested.list()).to.deep.equal([...known.values()]);
          expect(tested.oldest()).to.equal([...known.keys()][0]);
          expect(tested.size).to.equal(known.size);
          expect(tested.has(one.key)).to.equal(known.has(one.key));
          expect(tested.get(one.key)).to.equal(known.get(one.key));
        }
      }),
    );
  });
});
