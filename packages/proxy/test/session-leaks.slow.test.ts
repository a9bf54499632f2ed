import { once } from 'node:events';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { Logger, ServerBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { type OpenProxy, openProxy } from '../src/index.ts';
import { begin, Events, open as openRequest, send } from './support/http-client.ts';
import { initialize, McpClient } from './support/mcp-client.ts';
import { type Script, ScriptedServer } from './support/scripted-server.ts';
import { TestRestarts } from './support/test-restarts.ts';

const WARM_UP = 60;
const AT_ONCE = 8;
const MEBIBYTE = 1024 * 1024;
/** What a session may leave behind: less than anything that is kept for one. */
const MOST_BYTES_EACH = 200;

/** Answers, or does what a session is to end by. */
const SCRIPT: Script = {
  received: ({ id, method, params }, server) => {
    if (method === 'initialize') {
      const { name } = params.clientInfo;
      if (name === 'refused') server.say({ id, error: { code: -32602, message: 'no' } });
      else if (name !== 'unanswered') server.greet({ id, text: '', params });
      return;
    }
    if (method === 'resources/subscribe') server.say({ id, result: {} });
    if (method !== 'tools/call') return;
    if (params.name === 'echo') server.say({ id, result: {} });
    if (params.name === 'exit') server.exit();
    if (params.name === 'ask') server.say({ id: 'q', method: 'sampling/createMessage', params: {} });
    if (params.name !== 'progress') return;
    const { progressToken } = params['_meta'];
    server.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    server.say({ method: 'notifications/tools/list_changed' });
  },
};

const call = (name: string): object => ({
  id: 1,
  method: 'tools/call',
  params: { name, _meta: { progressToken: 't' } },
});

/** How a session may end, or be left. */
const WAYS: Readonly<Record<string, (url: URL) => Promise<void>>> = {
  'is ended': async (url) => {
    const client = await connect(url);
    await client.post(call('echo'));
    await client.end();
  },
  'is left': async (url) => {
    await (await connect(url)).post(call('echo'));
  },
  'is left with a stream': async (url) => {
    (await (await connect(url)).listen()).leave();
  },
  'is left in a call': async (url) => {
    await leaveIn(await connect(url), call('hold'));
  },
  'is left in a call that has a stream, and resumed once': async (url) => {
    const client = await connect(url);
    const stream = await client.stream(call('progress'));
    // It may have made room for another session before, or lost the process that they share.
    await eventually(() => expect(stream.all.length > 0 || stream.isOver).to.equal(true));
    stream.leave();
    const again = await client.listen({ 'Last-Event-ID': stream.all.at(-1)?.id ?? '' });
    again.leave();
  },
  'loses its process in a call': async (url) => {
    await (await connect(url)).post(call('exit'));
  },
  'is left while the server asks': async (url) => {
    await leaveIn(await connect(url), call('ask'));
  },
  'is ended while a call waits': async (url) => {
    const client = await connect(url);
    const waiting = client.post(call('hold'));
    await client.end();
    await waiting;
  },
  'is ended with a subscription': async (url) => {
    const client = await connect(url);
    await client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'file:///a' } });
    await client.end();
  },
  'is refused': async (url) => {
    await new McpClient(url).post(greeting('refused'));
  },
  'is left before it begins': async (url) => {
    await leaveIn(new McpClient(url), greeting('unanswered'));
  },
};

/** The same over HTTP+SSE, where the stream is the session. */
const SSE_WAYS: Readonly<Record<string, (url: URL) => Promise<void>>> = {
  'is left before it begins': async (url) => (await listenTo(url)).events.leave(),
  'is left': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('echo'));
    events.leave();
  },
  'is left in a call': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('hold'));
    events.leave();
  },
  'loses its process': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('exit'));
    await events.over();
  },
  'is refused': async (url) => {
    const { events, post } = await listenTo(url);
    await post(greeting('refused'));
    events.leave();
  },
};

const nothing = (): void => undefined;
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('sessions that are opened and dropped in every way', function () {
  this.timeout(limitMs(120_000));
  const proxies: OpenProxy[] = [];
  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));

  const kinds = [
    { title: 'a process each', mode: 'streamable-http', sessions: 'own', ways: WAYS },
    { title: 'one process for all', mode: 'streamable-http', sessions: 'shared', ways: WAYS },
    { title: 'a process each, over HTTP+SSE', mode: 'sse', sessions: 'own', ways: SSE_WAYS },
  ] as const;
  for (const { title, mode, sessions, ways } of kinds) {
    it(`leave no process, socket, timer, session or memory behind: ${title}`, async () => {
      const live = new Set<ScriptedServer>();
      const backend: ServerBackend = {
        carries: 'messages',
        mode,
        sessions,
        openConnection: async () => {
          const server = new ScriptedServer(SCRIPT);
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
          requestMs: 1000,
          cancelledMs: 50,
          resumableMs: 50,
          silenceMs: 20,
          spareDelayMs: 0,
        },
      });
      proxies.push(proxy);
      const url = new URL(proxy.url);
      const names = Object.keys(ways);

      async function serve(chosen: readonly string[]): Promise<void> {
        const left = [...chosen];
        const work = async (): Promise<void> => {
          for (let name = left.pop(); name !== undefined; name = left.pop()) await ways[name]?.(url);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      }

      /** Those that were left have aged, and what is still open is for the next session. */
      async function measure(): Promise<{ readonly timers: number; readonly bytes: number }> {
        await eventually(
          () => {
            expect(proxy.stats).to.include({ sessions: 0, waiting: 0 });
            expect(live.size).to.equal(proxy.stats.processes).and.to.be.at.most(1);
            expect(openSockets()).to.equal(0);
          },
          { withinMs: 30_000 },
        );
        return { timers: resources('Timeout'), bytes: bytesInUse() };
      }

      await serve(fc.sample(fc.constantFrom(...names), { numRuns: WARM_UP, seed: 1 }));
      const before = await measure();
      const chosen = fc.sample(fc.constantFrom(...names), trials({ short: 150, long: 10_000 }));
      await serve(chosen);
      const after = await measure();
      expect(after.timers - before.timers, 'timers').to.be.lessThan(5);
      const most = MEBIBYTE + chosen.length * MOST_BYTES_EACH;
      expect(after.bytes - before.bytes, `bytes after ${chosen.length} sessions`).to.be.lessThan(most);
    });
  }
});

function greeting(name: string): object {
  const { params, ...rest } = initialize() as { readonly params: object };
  return { ...rest, params: { ...params, clientInfo: { name, version: '1' } } };
}

/** Opens a session; where all places are taken by calls that still wait, it comes again. */
async function connect(url: URL): Promise<McpClient> {
  return await eventually(
    async () => {
      const client = await McpClient.connect(url, { version: '2025-11-25', capabilities: { sampling: {} } });
      expect(client.session).to.not.equal('');
      return client;
    },
    { withinMs: 20_000 },
  );
}

/** Sends a message and leaves before its answer, once it is on its way. */
async function leaveIn(client: McpClient, message: object): Promise<void> {
  const leaving = begin(client.url, { headers: client.headers() });
  leaving.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  await once(leaving, 'finish');
  leaving.destroy();
}

interface Listened {
  readonly events: Events;
  readonly post: (message: object) => Promise<unknown>;
}

async function listenTo(url: URL): Promise<Listened> {
  const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
  const endpoint = await eventually(() => {
    const [first] = events.all;
    if (first === undefined) throw new Error('no endpoint has come');
    return new URL(first.data, url);
  });
  const headers = { 'Content-Type': 'application/json' };
  return {
    events,
    post: (message) =>
      send(endpoint, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  };
}

function resources(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length;
}

function openSockets(): number {
  return resources('TCPSocketWrap');
}

/** Bytes that are in use once nothing is left to be collected. */
function bytesInUse(): number {
  v8.setFlagsFromString('--expose-gc');
  // SAFETY: that is what the flag is for.
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
