import { expect } from 'chai';
import { OneCausePace, type RestartPace } from '../../src/request/restart-pace.ts';

describe('OneCausePace', () => {
  for (const { title, failures, counted } of [
    {
      title: 'two processes that fail at the same time as one',
      failures: { 0: 5000, 249: 5000 },
      counted: 1,
    },
    { title: 'two failures when the second comes later', failures: { 0: 5000, 250: 5000 }, counted: 2 },
    {
      title: 'two failures when the second process hardly lived',
      failures: { 0: 5000, 10: 249 },
      counted: 2,
    },
    {
      title: 'a row of simultaneous failures as one',
      failures: { 0: 5000, 200: 5000, 400: 5000 },
      counted: 1,
    },
  ]) {
    it(`counts ${title}`, () => {
      const lived: number[] = [];
      const inner: RestartPace = {
        failed: (livedMs) => lived.push(livedMs),
        succeeded: () => undefined,
        isFailing: false,
        delayMs: 0,
        pause: () => Promise.resolve(),
      };
      let nowMs = 0;
      const pace = new OneCausePace(inner, () => nowMs);
      for (const [atMs, livedMs] of Object.entries(failures)) {
        nowMs = Number(atMs);
        pace.failed(livedMs);
      }
      expect(lived).to.have.lengthOf(counted);
    });
  }
});
