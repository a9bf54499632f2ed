import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { KeepAlive, RESTART_LIMITS } from '../../src/supervisor/keep-alive.ts';

describe('KeepAlive', () => {
  const clock = new FakeClock();
  const open = (random: number) => new KeepAlive(RESTART_LIMITS, clock.clock, () => random);

  it('doubles with each failure, up to a limit', () => {
    const delay = open(1);
    expect(delay.delayMs).to.equal(0);
    const delays = Array.from({ length: 7 }, () => {
      delay.failed(0);
      return delay.delayMs;
    });
    expect(delays).to.deep.equal([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('takes half of that at least', () => {
    const delay = open(0);
    delay.failed(0);
    expect(delay.delayMs).to.equal(500);
  });

  it('begins anew after a process that lived long, or that worked', () => {
    const delay = open(1);
    for (let time = 0; time < 3; time += 1) delay.failed(0);
    delay.failed(60_000);
    expect(delay.delayMs).to.equal(1000);
    delay.succeeded();
    expect(delay.delayMs).to.equal(0);
  });

  it('gives up after five failures in ten minutes, not after five in an hour', () => {
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
});
