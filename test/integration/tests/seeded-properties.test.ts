import { expect } from 'chai';
import fc from 'fast-check';
import { SEED } from '../../support/soak.ts';

describe('a property that names no seed', () => {
  it('begins from that of the run, in every process of tests', () => {
    expect(fc.readConfigureGlobal().seed).to.equal(SEED);
    const draw = () => fc.sample(fc.integer(), 20);
    expect(draw()).to.deep.equal(draw());
  });
});
