import { expect } from 'chai';
import { isPortolanError, parseDuration } from '../src/index.ts';

describe('parseDuration', () => {
  const good: readonly (readonly [string, number])[] = [
    ['0', 0],
    ['-0', 0],
    ['500ms', 500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1h30m', 5_400_000],
    ['2m30s', 150_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['+1s', 1000],
    ['-5m', -300_000],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1h1h', 7_200_000],
  ];
  for (const [text, expected] of good) {
    it(`parses ${text} as ${expected} ms`, () => {
      expect(parseDuration(text)).to.equal(expected);
    });
  }

  for (const text of ['', '5', 'abc', '5 s', '1d', 's', '.s', '1m30', '--1s', ' 1s', '1s\n', '1e3s', '٣s']) {
    it(`rejects ${JSON.stringify(text)} with a hint`, () => {
      let thrown: unknown;
      try {
        parseDuration(text);
      } catch (error) {
        thrown = error;
      }
      if (!isPortolanError(thrown)) throw new Error('expected an error with a code');
      expect(thrown.code).to.equal('ERR_SETTING');
      expect(thrown.hint).to.include('1h30m');
    });
  }
});
