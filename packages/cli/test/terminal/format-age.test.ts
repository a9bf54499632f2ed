import { expect } from 'chai';
import { formatAge } from '../../src/terminal/format/format-age.ts';

describe('formatAge', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const cases = [
    { time: '2026-11-22T12:00:00.400Z', expected: 'now' },
    { time: '2026-11-22T11:59:59.500Z', expected: 'now' },
    { time: '2026-11-22T11:59:18Z', expected: '42 s ago' },
    { time: '2026-11-22T11:55:00Z', expected: '5 min ago' },
    { time: '2026-11-22T11:00:01Z', expected: '59 min ago' },
    { time: '2026-11-22T09:00:00Z', expected: '3 h ago' },
    { time: '2026-11-20T12:00:01Z', expected: '47 h ago' },
    { time: '2026-11-20T12:00:00Z', expected: '2 d ago' },
    { time: '2025-11-22T12:00:00Z', expected: '365 d ago' },
    { time: '', expected: '' },
    { time: 'soon', expected: '' },
  ];
  for (const { time, expected } of cases) {
    it(`returns "${expected}" for ${time || 'no time'}`, () => {
      expect(formatAge(time, now)).to.equal(expected);
    });
  }
});
