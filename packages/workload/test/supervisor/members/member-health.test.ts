import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { MemberHealth, type MemberHealthOptions } from '../../../src/supervisor/members/member-health.ts';

const LIMITS = { askMs: 20, retryMs: 1, failures: 3 };

describe('MemberHealth', () => {
  const opened: MemberHealth[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((health) => health.close()));
  });

  function open(ask: MemberHealthOptions['ask']): {
    readonly health: MemberHealth;
    readonly events: string[];
  } {
    const events: string[] = [];
    const health = new MemberHealth({
      ask,
      failed: (why) => events.push(`failed: ${why}`),
      recovered: () => events.push('recovered'),
      limits: LIMITS,
    });
    opened.push(health);
    return { health, events };
  }

  it('suspect › reports nothing when the server responds before the limit of failures', async () => {
    let asked = 0;
    const { health, events } = open(async () => {
      asked += 1;
      return asked < 3 ? { outcome: 'nothing', why: 'refused' } : { outcome: 'answered' };
    });
    health.suspect();
    await eventually(() => expect(asked).to.equal(3));
    await pass(20);
    expect([asked, events]).to.deep.equal([3, []]);
  });

  it('suspect › reports a server that hangs, again after more failures, and its recovery', async () => {
    let hangs = true;
    const { health, events } = open(async (signal) => {
      if (!hangs) return { outcome: 'answered' };
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    });
    health.suspect();
    health.suspect();
    await eventually(() => expect(events).to.have.length.above(1));
    hangs = false;
    await eventually(() => expect(events.at(-1)).to.equal('recovered'));
    expect(new Set(events.slice(0, -1))).to.deep.equal(
      new Set(['failed: it sent no response within 0.02 s']),
    );
  });

  it('suspect › checks one request at a time when several requests fail', async () => {
    let running = 0;
    let most = 0;
    const { health } = open(async () => {
      running += 1;
      most = Math.max(most, running);
      await pass(5);
      running -= 1;
      return { outcome: 'nothing', why: 'refused' };
    });
    for (let time = 0; time < 5; time += 1) health.suspect();
    await pass(40);
    expect(most).to.equal(1);
  });

  it('close › ends a check when the server hangs, and later suspicions start none', async () => {
    let asked = 0;
    const { health, events } = open(async (signal) => {
      asked += 1;
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    });
    health.suspect();
    await health.close();
    health.suspect();
    await pass(30);
    expect([asked, events]).to.deep.equal([1, []]);
  });
});
