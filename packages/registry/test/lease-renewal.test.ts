import { expect } from 'chai';
import { startRenewal } from '../src/sync/lease-renewal.ts';
import { until } from './support/until.ts';

describe('startRenewal', () => {
  it('renews again and again until it is stopped', async () => {
    let renewed = 0;
    const stop = startRenewal(async () => {
      renewed += 1;
    }, 5);
    await until('three renewals', () => renewed >= 3);
    stop();
    const then = renewed;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(renewed).to.equal(then);
  });

  it('has three under way at most, and goes on once one of them is answered', async () => {
    const answers: (() => void)[] = [];
    const stop = startRenewal(() => new Promise((resolve) => answers.push(resolve)), 5);
    await until('three renewals', () => answers.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answers).to.have.length(3);
    answers[1]?.();
    await until('the fourth one', () => answers.length === 4);
    stop();
  });
});
