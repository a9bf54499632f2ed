import { getEventListeners } from 'node:events';
import v8 from 'node:v8';
import vm from 'node:vm';
import { eventually, runtimeOfEngine } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ask, openSession, stdioServer } from './support/mini-servers.ts';
import { PretendedEngine } from './support/pretended-engine.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

const SESSIONS = 200;
const WARM_UP = 50;
const KIBIBYTE = 1024;

/** Returns the heap in use after garbage collection. */
function bytesInUse(): number {
  v8.setFlagsFromString('--expose-gc');
  // SAFETY: the flag defines this function.
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe('superviseWorkload with many sessions', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  it('keeps no memory of ended sessions', async () => {
    const engine = new PretendedEngine();
    const kinds = {
      ...bench.context().kinds,
      openRuntime: () => Promise.resolve(runtimeOfEngine(engine.runtime)),
    };
    const fields = { ...stdioServer(), permission_profile: { network: { mode: 'none' } } };
    const workload = await bench.supervise(await bench.config(fields), { context: { kinds } });
    const { url } = await workload.ready;

    async function serve(
      sessions: number,
    ): Promise<{ timers: number; listeners: number; ofProcess: number }> {
      for (let count = 0; count < sessions; count += 1) {
        const session = await openSession(url);
        expect(await ask(url, 'tools/list', {}, session)).to.have.property('tools');
        const ended = await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
        expect(ended.ok, `${ended.status}`).to.equal(true);
        await ended.text();
      }
      await eventually(() => expect(engine.containers.size).to.equal(1));
      const timers = process
        .getActiveResourcesInfo()
        .filter((name) => name === 'Timeout' || name === 'Immediate');
      const listeners = [...engine.signals].map((signal) => getEventListeners(signal, 'abort').length);
      return {
        timers: timers.length,
        listeners: Math.max(0, ...listeners),
        ofProcess: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
      };
    }

    const before = await serve(WARM_UP);
    engine.signals.clear();
    const bytes = bytesInUse();
    const after = await serve(SESSIONS);
    expect(engine.made).to.be.greaterThan(WARM_UP + SESSIONS);
    engine.signals.clear();
    expect((bytesInUse() - bytes) / SESSIONS, 'bytes a session').to.be.lessThan(16 * KIBIBYTE);
    // A connection of the client may open or close, with its timer.
    expect(after.timers).to.be.lessThan(before.timers + 10);
    expect(after.listeners).to.be.lessThan(before.listeners + 10);
    expect(after.ofProcess).to.equal(before.ofProcess);
    expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
    expect(engine.containers.size).to.equal(0);
  });
});
