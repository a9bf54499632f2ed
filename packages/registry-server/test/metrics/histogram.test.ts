import { expect } from 'chai';
import { Histogram } from '../../src/metrics/histogram.ts';

describe('Histogram', () => {
  it('counts a value in the first bucket whose boundary is not smaller', () => {
    const histogram = new Histogram([1, 2]);
    for (const value of [0, 1, 1.5, 2, 3]) histogram.record(value);
    expect(histogram).to.deep.include({ counts: [2, 2, 1], sum: 7.5, count: 5 });
  });
});
