import { mock } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { startRenewal } from '../src/sync/schedule/lease-renewal.ts';

const EVERY_MS = 5;

describe('startRenewal', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** As many renewals are due. */
  async function pass(renewals: number): Promise<void> {
    for (let due = 0; due < renewals; due += 1) {
      mock.timers.tick(EVERY_MS);
      await endOfTurn();
    }
  }

  it('renews the lease until it is stopped', async () => {
    let renewed = 0;
    const stop = startRenewal(async () => {
      renewed += 1;
    }, EVERY_MS);
    await pass(5);
    expect(renewed).to.equal(5);
    stop();
    await pass(10);
    expect(renewed).to.equal(5);
  });

  it('has at most three pending renewals, and continues when one of them completes', async () => {
    const answers: (() => void)[] = [];
    const stop = startRenewal(() => new Promise((resolve) => answers.push(resolve)), EVERY_MS);
    await pass(20);
    expect(answers).to.have.length(3);
    answers[1]?.();
    await pass(20);
    expect(answers).to.have.length(4);
    stop();
  });
});
