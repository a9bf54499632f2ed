import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { KeepAlive, RESTART_LIMITS } from '../../src/supervisor/server/keep-alive.ts';

describe('KeepAlive', () => {
  const clock = new FakeClock();
  const open = (random: number) => new KeepAlive(RESTART_LIMITS, () => random, clock.nowMs);

  it('doubles the delay with each failure, up to a maximum', () => {
    const delay = open(1);
    expect(delay.delayMs).to.equal(0);
    const delays = Array.from({ length: 7 }, () => {
      delay.failed(0);
      return delay.delayMs;
    });
    expect(delays).to.deep.equal([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('shortens the delay by jitter to half at most', () => {
    const delay = open(0);
    delay.failed(0);
    expect(delay.delayMs).to.equal(500);
  });

  it('resets the delay after a long-lived process, and after a success', () => {
    const delay = open(1);
    for (let time = 0; time < 3; time += 1) delay.failed(0);
    delay.failed(60_000);
    expect(delay.delayMs).to.equal(1000);
    delay.succeeded();
    expect(delay.delayMs).to.equal(0);
  });

  it('gives up after five failures in ten minutes, but not in a longer time', () => {
    const slow = open(1);
    const quick = open(1);
    for (let time = 0; time < 5; time += 1) {
      clock.advance(200_000);
      slow.failed(0);
      quick.failed(0);
    }
    expect(slow.isFailing).to.equal(false);
    for (let time = 0; time < 4; time += 1) quick.failed(0);
    expect(quick.isFailing).to.equal(true);
  });

  describe('startAgain', () => {
    const quick = { ...RESTART_LIMITS, firstDelayMs: 1, longestDelayMs: 2 };
    const keep = (): KeepAlive => new KeepAlive(quick, () => 1, clock.nowMs);

    it('retries until a start succeeds, and reports each failure', async () => {
      const alive = keep();
      const failures: unknown[] = [];
      let starts = 0;
      const start = async (): Promise<void> => {
        starts += 1;
        if (starts < 3) await Promise.reject(new Error(`start ${starts}`));
      };
      const failed = (error: unknown): boolean => failures.push(String(error)) > 0;
      const { signal } = new AbortController();
      expect(await alive.startAgain(start, { signal, failed })).to.equal(true);
      expect(failures).to.deep.equal(['Error: start 1', 'Error: start 2']);
      expect(alive.delayMs).to.equal(2);
    });

    it('returns false when the callback `failed` does, at the maximum number of failures', async () => {
      const alive = keep();
      const { signal } = new AbortController();
      const start = (): Promise<void> => Promise.reject(new Error('never'));
      let tries = 0;
      const failed = (): boolean => {
        tries += 1;
        return !alive.isFailing;
      };
      expect(await alive.startAgain(start, { signal, failed })).to.equal(false);
      expect(tries).to.equal(quick.failuresToFail);
    });

    it('returns false when the signal aborts, without counting a failure', async () => {
      const alive = new KeepAlive(RESTART_LIMITS, () => 1, clock.nowMs);
      alive.failed(0);
      const stop = new AbortController();
      const told: unknown[] = [];
      const again = alive.startAgain(() => Promise.reject(new Error('not reached')), {
        signal: stop.signal,
        failed: (error) => told.push(error) > 0,
      });
      stop.abort();
      expect(await again).to.equal(false);
      expect(told).to.deep.equal([]);
      expect(alive.delayMs).to.equal(1000);
    });
  });
});
