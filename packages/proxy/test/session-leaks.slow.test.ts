import v8 from 'node:v8';
import vm from 'node:vm';
import type { Logger, ServerBackend, ServerConnection } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { type OpenProxy, openProxy } from '../src/index.ts';
import { ChildConnection } from './support/child-connection.ts';
import { ScriptedServer } from './support/scripted-server.ts';
import { answerSession } from './support/session-script.ts';
import { SSE_WAYS, WAYS } from './support/session-ways.ts';
import { TestRestarts } from './support/test-restarts.ts';

const WARM_UP = 60;
/**
 * Number of sessions in a short run with real processes: slightly more than there are ways. Each process
 * costs time.
 */
const SHORT_OF_CHILDREN = 20;
const AT_ONCE = 8;
const MEBIBYTE = 1024 * 1024;
/**
 * Maximum memory that a session may leave behind, in bytes. It is below the size of any record of a session.
 */
const MAX_BYTES_EACH = 200;

const PROGRAM = new URL('./support/session-server.ts', import.meta.url).pathname;

const scripted = (): ServerConnection => new ScriptedServer({ received: answerSession });
const child = (): ServerConnection => new ChildConnection(process.execPath, [PROGRAM]);

const nothing = (): void => undefined;
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('many sessions that end in different ways', function () {
  this.timeout(limitMs(120_000));
  const proxies: OpenProxy[] = [];
  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));

  const kinds = [
    {
      title: 'one server for each session',
      serve: scripted,
      mode: 'streamable-http',
      sessions: 'own',
      ways: WAYS,
    },
    {
      title: 'one server for all sessions',
      serve: scripted,
      mode: 'streamable-http',
      sessions: 'shared',
      ways: WAYS,
    },
    {
      title: 'one server for each session, over HTTP+SSE',
      serve: scripted,
      mode: 'sse',
      sessions: 'own',
      ways: SSE_WAYS,
    },
    {
      title: 'one child process for each session',
      serve: child,
      mode: 'streamable-http',
      sessions: 'own',
      ways: WAYS,
    },
  ] as const;
  for (const { title, serve, mode, sessions, ways } of kinds) {
    const isChild = serve === child;
    it(`leave no process, socket, timer, session or memory behind: ${title}`, async () => {
      // Other tests in this process may have left these open.
      const [sockets, children] = [openSockets(), resources('ProcessWrap')];
      const live = new Set<ServerConnection>();
      const backend: ServerBackend = {
        carries: 'messages',
        mode,
        sessions,
        openConnection: async () => {
          const server = serve();
          const close = server.close.bind(server);
          server.close = async () => {
            await close();
            live.delete(server);
          };
          live.add(server);
          return server;
        },
      };
      const proxy = await openProxy({
        backend,
        instance: 'test',
        transport: 'stdio',
        version: '0.0.0',
        logger: SILENT,
        clock: () => new Date(),
        sessionTtlMs: 2000,
        restarts: new TestRestarts({ firstDelayMs: 0, longestDelayMs: 0, failures: Number.MAX_SAFE_INTEGER }),
        limits: {
          makesRoomAfterMs: 20,
          requestMs: isChild ? 10_000 : 1000,
          cancelledMs: 50,
          resumableMs: 50,
          silenceMs: 20,
          spareDelayMs: 0,
        },
      });
      proxies.push(proxy);
      const url = new URL(proxy.url);
      const names = Object.keys(ways);

      async function openAndDrop(chosen: readonly string[]): Promise<void> {
        const left = [...chosen];
        const work = async (): Promise<void> => {
          for (let name = left.pop(); name !== undefined; name = left.pop()) await ways[name]?.(url);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      }

      /** Waits until idle sessions have expired, then counts timers and used memory. */
      async function measure(): Promise<{ readonly timers: number; readonly bytes: number }> {
        await eventually(
          () => {
            expect(proxy.stats).to.include({ sessions: 0, waiting: 0 });
            expect(live.size).to.equal(proxy.stats.processes).and.to.be.at.most(1);
            expect(openSockets()).to.be.at.most(sockets);
            expect(resources('ProcessWrap') - children).to.be.at.most(isChild ? live.size : 0);
          },
          { withinMs: 30_000 },
        );
        return { timers: resources('Timeout'), bytes: bytesInUse() };
      }

      const warmUp = isChild ? SHORT_OF_CHILDREN : WARM_UP;
      await openAndDrop(fc.sample(fc.constantFrom(...names), { numRuns: warmUp, seed: 1 }));
      const before = await measure();
      const chosen = fc.sample(
        fc.constantFrom(...names),
        trials({ short: isChild ? SHORT_OF_CHILDREN : 150, long: 10_000 }),
      );
      await openAndDrop(chosen);
      const after = await measure();
      expect(after.timers - before.timers, 'timers').to.be.lessThan(5);
      const most = MEBIBYTE + chosen.length * MAX_BYTES_EACH;
      expect(after.bytes - before.bytes, `bytes after ${chosen.length} sessions`).to.be.lessThan(most);
    });
  }
});

function resources(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length;
}

function openSockets(): number {
  return resources('TCPSocketWrap');
}

/** Returns the used memory in bytes, after a garbage collection. */
function bytesInUse(): number {
  v8.setFlagsFromString('--expose-gc');
  // SAFETY: the flag defines the function `gc` in every new context.
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
