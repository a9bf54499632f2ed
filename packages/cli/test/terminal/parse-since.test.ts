import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { parseSince } from '../../src/terminal/parse-since.ts';

describe('parseSince', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const cases = [
    { text: '10m', expected: '2026-11-22T11:50:00.000Z' },
    { text: '2h30m', expected: '2026-11-22T09:30:00.000Z' },
    { text: '2026-11-22T11:30:00Z', expected: '2026-11-22T11:30:00.000Z' },
    { text: '2026-11-22T11:30:00+02:00', expected: '2026-11-22T09:30:00.000Z' },
    { text: '2026-11-22 11:30Z', expected: '2026-11-22T11:30:00.000Z' },
    { text: '2026-11-22T11:30', expected: new Date(2026, 10, 22, 11, 30).toISOString() },
    { text: '2026-11-22', expected: new Date(2026, 10, 22).toISOString() },
  ];
  for (const { text, expected } of cases) {
    it(`parses ${text}`, () => {
      expect(parseSince(text, now).toISOString()).to.equal(expected);
    });
  }

  for (const text of ['', 'yesterday', '10', '-5m', '2026-13-45', '2026', '1e9']) {
    it(`rejects "${text}"`, async () => {
      const error = await caught(() => parseSince(text, now));
      expect(error.code).to.equal('ERR_BAD_ARGUMENT');
      expect(error.message).to.include('--since');
    });
  }
});
