import { expect } from 'chai';
import { timerMs } from '../../src/supervisor/timer-ms.ts';

describe('timerMs', () => {
  const cases = [
    { durationMs: 60_000, expected: 60_000 },
    { durationMs: 1000.999, expected: 1001 },
    { durationMs: 0.5, expected: 1 },
    { durationMs: -1, expected: 0 },
    { durationMs: 1000 * 3_600_000, expected: 2 ** 31 - 1 },
    { durationMs: Number.POSITIVE_INFINITY, expected: 2 ** 31 - 1 },
  ];
  for (const { durationMs, expected } of cases) {
    it(`turns ${durationMs} into the valid delay ${expected}`, () => {
      expect(timerMs(durationMs)).to.equal(expected);
      expect(AbortSignal.timeout(timerMs(durationMs)).aborted).to.equal(false);
    });
  }
});
