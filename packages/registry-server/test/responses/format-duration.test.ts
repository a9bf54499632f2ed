import { expect } from 'chai';
import { formatDuration } from '../../src/responses/format-duration.ts';

describe('formatDuration', () => {
  for (const [ms, text] of [
    [0, '0s'],
    [250, '250ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [90_000, '1m30s'],
    [1_800_000, '30m0s'],
    [3_600_000, '1h0m0s'],
    [90_061_000, '25h1m1s'],
  ] as const) {
    it(`formats ${ms} ms as ${text}`, () => {
      expect(formatDuration(ms)).to.equal(text);
    });
  }
});
