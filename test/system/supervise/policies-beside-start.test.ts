import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { createTestContext } from '@portolan/plugin-testing';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '@portolan/workload';
import { localUserAuth } from '@portolan/auth-local-user';
import { expect } from 'chai';
import { httpServer, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

const SERVERS: readonly (readonly [title: string, fields: Partial<RunConfig>])[] = [
  ['a process for each session', stdioServer()],
  ['a shared process', { ...stdioServer(), stdio_sessions: 'shared' }],
  ['a server that speaks HTTP', httpServer()],
];

/** Maximum time for the engine to run a container on a busy machine, in milliseconds. */
const RUNS_MS = 20_000;

describe('superviseWorkload while it opens policies', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  /** Condition for the opening of policies. */
  function opening(openProxyMiddleware: () => Promise<PlacedProxyMiddleware>): Partial<WorkloadContext> {
    const { kinds } = bench.context();
    return {
      kinds: {
        ...kinds,
        openProxyMiddleware,
        openAuthProvider: async () => ({
          instance: await localUserAuth.create({}, createTestContext()),
          identifies: false,
        }),
      },
    };
  }

  const serversOf = async (name: string): Promise<readonly string[]> =>
    (await bench.runtime.listContainers(bench.labels))
      .filter((one) => one.name.includes(name) && one.labels['portolan.dev/role'] !== 'gateway')
      .filter(({ state }) => state.running)
      .map((one) => one.name);

  /** Returns the running containers of the server once there is one. */
  async function running(name: string): Promise<readonly string[]> {
    for (const until = Date.now() + RUNS_MS; Date.now() < until; await pass(50)) {
      const found = await serversOf(name);
      if (found.length > 0) return found;
    }
    throw new Error(`no server of ${name} runs`);
  }

  const NOTHING: PlacedProxyMiddleware = { name: 'nothing', placed: 'validate', instance: {} };

  for (const [title, fields] of SERVERS) {
    it(`starts ${title} in the meantime, once, and forwards no request before the policies are open`, async () => {
      const config = await bench.config({ ...fields, tools_filter: ['echo'] });
      let found: readonly string[] = [];
      let before: unknown;
      const context = opening(async () => {
        found = await running(config.name);
        before = await fetch(`http://127.0.0.1:${config.port}/mcp`).catch((error: unknown) => error);
        return NOTHING;
      });
      const workload = await bench.supervise(config, { context });
      await workload.ready;
      expect(before).to.be.instanceOf(TypeError); // Nothing listens.
      expect(found).to.have.length(1);
      expect(await serversOf(config.name)).to.include(found[0]);
      await workload.stop();
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });

    it(`removes ${title} again when policies fail to open, early or late`, async () => {
      for (const isLate of [false, true]) {
        const config = await bench.config({ ...fields, tools_filter: ['echo'] });
        const context = opening(async () => {
          if (isLate) await running(config.name);
          throw new Error('no such policy');
        });
        const workload = await bench.supervise(config, { context });
        const error: unknown = await workload.ended.catch((reason: unknown) => reason);
        expect(String(error)).to.contain('no such policy');
        expect(await bench.containers(config.name)).to.deep.equal([]);
        expect(await bench.runtimeFiles()).to.deep.equal([]);
      }
    });

    it(`removes ${title} again when the port is taken`, async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      try {
        // SAFETY: the address of a TCP server is an object.
        const { port } = taken.address() as AddressInfo;
        const config = await bench.config({ ...fields, tools_filter: ['echo'], port });
        const workload = await bench.supervise(config, { context: opening(async () => NOTHING) });
        const error: unknown = await workload.ended.catch((reason: unknown) => reason);
        expect(error).to.include({ code: 'ERR_PROXY_PORT_IN_USE' });
        expect(await bench.containers(config.name)).to.deep.equal([]);
        expect(await bench.runtimeFiles()).to.deep.equal([]);
      } finally {
        taken.close();
      }
    });

    it(`removes ${title} again when the workload is stopped in the meantime`, async () => {
      const config = await bench.config({ ...fields, tools_filter: ['echo'] });
      const isOpening = Promise.withResolvers<void>();
      const isStopped = Promise.withResolvers<void>();
      const context = opening(async () => {
        isOpening.resolve();
        await isStopped.promise;
        return NOTHING;
      });
      const workload = await bench.supervise(config, { context });
      await isOpening.promise;
      const ended = workload.stop();
      isStopped.resolve();
      expect(await ended).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }
});
