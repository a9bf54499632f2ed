import { expect } from 'chai';
import fc from 'fast-check';
import { SEED } from '../../support/soak.ts';

describe('a property test without a seed', () => {
  it('uses the seed of the run in every test process', () => {
    expect(fc.readConfigureGlobal().seed).to.equal(SEED);
    const draw = () => fc.sample(fc.integer(), 20);
    expect(draw()).to.deep.equal(draw());
  });
});
