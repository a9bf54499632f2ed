import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createCounts } from '../../src/request/counts.ts';
import { PROXY_LIMITS } from '../../src/index.ts';
import { type PoolOptions, ProcessPool } from '../../src/server/process-pool.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { TestRestarts } from '../support/test-restarts.ts';

describe('ProcessPool', () => {
  const pools: ProcessPool[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  function open(options: Partial<PoolOptions> = {}) {
    const servers = new ScriptedServers();
    const pool = new ProcessPool({
      openConnection: servers.open,
      maxProcesses: 3,
      keepsSpare: true,
      startWaitMs: 1000,
      restarts: new TestRestarts({ firstDelayMs: 1, longestDelayMs: 4 }),
      failing: () => undefined,
      limits: PROXY_LIMITS,
      counts: createCounts(),
      logger: createRecordingLogger(),
      clock: () => new Date(),
      nowMs: () => performance.now(),
      ...options,
    });
    pools.push(pool);
    return { pool, servers };
  }

  it('keeps one spare process, and starts the next when it is taken', async () => {
    const { pool, servers } = open();
    await eventually(() => expect(pool.running).to.equal(1));
    await pool.acquire();
    await eventually(() => expect(pool.running).to.equal(2));
    expect([servers.all.length, pool.busy]).to.deep.equal([2, 1]);
  });

  it('never runs more than the maximum of processes, including the spare', async () => {
    const { pool, servers } = open();
    const links = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    expect(pool.isFull).to.equal(true);
    expect(servers.all).to.have.length(3);
    const [first] = links;
    if (first !== undefined) await pool.release(first);
    expect(pool.isFull).to.equal(false);
    await eventually(() => expect(pool.running).to.equal(3));
    expect(servers.all).to.have.length(4);
  });

  it('queues callers in order when all slots are in use', async () => {
    const { pool } = open({ maxProcesses: 1 });
    const link = await pool.acquire();
    const order: number[] = [];
    const waiting = [1, 2].map(async (number) => {
      const taken = await pool.acquire();
      order.push(number);
      return await pool.release(taken);
    });
    expect(pool.awaited).to.equal(2);
    await pool.release(link);
    await Promise.all(waiting);
    expect([order, pool.awaited]).to.deep.equal([[1, 2], 0]);
  });

  it('rejects callers when no slot becomes free in time', async () => {
    const { pool, servers } = open({ maxProcesses: 1, startWaitMs: 20 });
    await pool.acquire();
    expect(await codeOf(pool.acquire())).to.equal('ERR_SESSIONS_EXHAUSTED');
    expect([pool.awaited, servers.all.length]).to.deep.equal([0, 1]);
  });

  it('rejects callers above the maximum queue length', async () => {
    const { pool } = open({ maxProcesses: 1 });
    await pool.acquire();
    const waiting = Array.from({ length: 256 }, () => codeOf(pool.acquire()));
    expect(await codeOf(pool.acquire())).to.equal('ERR_SESSIONS_EXHAUSTED');
    expect(pool.awaited).to.equal(256);
    await pool.close();
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set(['ERR_PROXY_CLOSING']));
  });

  it('gives no process to a caller that has left', async () => {
    const { pool, servers } = open({ maxProcesses: 1 });
    const link = await pool.acquire();
    let isWanted = true;
    const gone = codeOf(pool.acquire({ isWanted: () => isWanted }));
    isWanted = false;
    await pool.release(link);
    expect(await gone).to.equal('ERR_SESSION_ENDED');
    await eventually(() => expect(pool.running).to.equal(1));
    expect([pool.busy, servers.all.length]).to.deep.equal([0, 2]);
  });

  it('rejects queued callers on close', async () => {
    const { pool } = open({ maxProcesses: 1 });
    await pool.acquire();
    const waiting = codeOf(pool.acquire());
    await pool.close();
    expect(await waiting).to.equal('ERR_PROXY_CLOSING');
  });

  it('waits on close for a starting process, and ends it', async () => {
    const started = Promise.withResolvers<void>();
    const { servers } = open();
    const { pool } = open({
      openConnection: async () => {
        await started.promise;
        return await servers.open();
      },
    });
    const code = codeOf(pool.acquire());
    const closed = pool.close();
    started.resolve();
    await closed;
    expect(servers.all.at(-1)?.isClosed).to.equal(true);
    expect([pool.running, await code]).to.deep.equal([0, 'ERR_PROXY_CLOSING']);
  });

  it('replaces a spare that exited', async () => {
    const { pool, servers } = open();
    await eventually(() => expect(pool.running).to.equal(1));
    servers.all[0]?.exit();
    await eventually(() => expect(servers.all).to.have.length(2));
    const link = await pool.acquire();
    expect([link.hasEnded, servers.all[0]?.isClosed]).to.deep.equal([false, true]);
  });

  it('reports repeated failures, and stops starting processes by itself', async () => {
    let attempts = 0;
    const told: unknown[] = [];
    const { pool } = open({
      openConnection: async () => {
        attempts += 1;
        throw new Error('no image');
      },
      failing: (error) => told.push(error),
    });
    await eventually(() => expect(told).to.have.length(1));
    expect([attempts, pool.isFailing, pool.running]).to.deep.equal([5, true, 0]);
    expect(await codeOf(pool.acquire())).to.equal('ERR_SERVER_NOT_STARTED');
  });

  it('resets its back-off when a process works', async () => {
    let attempts = 0;
    const { pool } = open({
      openConnection: async () => {
        attempts += 1;
        throw new Error('no image');
      },
    });
    await eventually(() => expect(pool.isFailing).to.equal(true));
    pool.succeeded();
    expect(pool.isFailing).to.equal(false);
    expect(attempts).to.equal(5);
  });

  it('rejects a caller after the start timeout, and keeps the late process for the next', async () => {
    const started = Promise.withResolvers<void>();
    const servers = new ScriptedServers();
    const { pool } = open({
      startWaitMs: 10,
      openConnection: async () => {
        await started.promise;
        return servers.open();
      },
    });
    expect(await codeOf(pool.acquire())).to.equal('ERR_SERVER_NOT_STARTED');
    started.resolve();
    await eventually(() => expect(pool.running).to.be.greaterThan(0));
    await pool.acquire();
    expect(pool.busy).to.equal(1);
  });

  it('ends all processes on close, including starting ones', async () => {
    const starting = Promise.withResolvers<void>();
    const servers = new ScriptedServers();
    let isAborted = false;
    const { pool } = open({
      openConnection: async (signal) => {
        if (servers.all.length > 0) await starting.promise;
        isAborted = signal.aborted;
        return servers.open();
      },
    });
    await pool.acquire();
    const closing = pool.close();
    starting.resolve();
    await closing;
    expect([pool.running, pool.busy, isAborted]).to.deep.equal([0, 0, true]);
    expect(servers.all.map(({ isClosed }) => isClosed)).to.deep.equal([true, true]);
    expect(await codeOf(pool.acquire())).to.equal('ERR_PROXY_CLOSING');
  });
});

async function codeOf(action: Promise<unknown>): Promise<string | undefined> {
  try {
    await action;
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
  return undefined;
}
