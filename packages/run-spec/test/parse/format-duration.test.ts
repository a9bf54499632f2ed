import { parseDuration } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatDuration, showDuration } from '../../src/parse/format-duration.ts';

describe('formatDuration', () => {
  const cases = [
    { durationMs: 0, text: '0s' },
    { durationMs: 2_700_000, text: '45m0s' },
    { durationMs: 7_200_000, text: '2h0m0s' },
    { durationMs: 1500, text: '1.5s' },
    { durationMs: 250, text: '250ms' },
    { durationMs: 1.5, text: '1.5ms' },
    { durationMs: 0.001, text: '1µs' },
    { durationMs: 0.000_001, text: '1ns' },
    { durationMs: -90_000, text: '-1m30s' },
    { durationMs: 3_661_001, text: '1h1m1.001s' },
  ];
  for (const { durationMs, text } of cases) {
    it(`formats ${durationMs} ms as ${text}`, () => {
      expect(formatDuration(durationMs)).to.equal(text);
    });
  }

  it('parses back to the same duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).to.be.closeTo(durationMs, 1e-3);
      }),
    );
  });
});

describe('showDuration', () => {
  for (const text of ['2h', '1h30m', '10h10m', '45m', '10m', '1h0m10s', '10s', '250ms', '0s']) {
    it(`formats ${text} without zero parts at the end`, () => {
      expect(showDuration(parseDuration(text))).to.equal(text);
    });
  }
});
