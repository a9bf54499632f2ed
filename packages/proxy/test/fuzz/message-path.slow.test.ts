import v8 from 'node:v8';
import vm from 'node:vm';
import type { Logger, ProxyMiddleware, ServerBackend } from '@portolan/plugin-api';
import { inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trialsFor } from '../../../../test/support/soak.ts';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { type Answer, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { MODERN } from '../support/modern-client.ts';
import { type OpenProxy, openProxy, type PlacedProxyMiddleware } from '../../src/index.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak } from '../support/spoken-to.ts';
import { TestRestarts } from '../support/test-restarts.ts';
import { mutated } from '../../../../test/support/fuzz/mutated.ts';
import { readingsOf } from '../../../../test/support/fuzz/other-readers.ts';

const CALL = { id: 'after', method: 'tools/call', params: { name: 'plain', arguments: {} } };
/** Statuses that a client may get. 502 occurs when the server cannot represent a numeric id. */
const STATUSES = [200, 202, 400, 404, 406, 409, 413, 415, 502, 503];
/** Logger that keeps no lines. A recording logger would grow, and the test measures memory. */
const QUIET: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const MAX_GROWTH = 64 * 1024 * 1024;

const maybe = (...values: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined });

const headers = fc.record({
  'Content-Type': fc.constantFrom('application/json', 'Application/JSON; charset=utf-8', 'text/plain', ''),
  Accept: fc.constantFrom(
    'application/json, text/event-stream',
    'application/json',
    'text/event-stream',
    '*/*',
    'x',
  ),
  'MCP-Protocol-Version': maybe('2025-03-26', '2025-06-18', MODERN, '2099-01-01', 'x', ' '),
  'Mcp-Method': maybe('tools/call', 'tools/list', 'TOOLS/CALL'),
  'Mcp-Name': maybe('t', '=?base64?dA==?=', '=?base64?!?='),
  'Mcp-Session-Id': maybe('OWN', 'nobody', 'a b', 'x'.repeat(300)),
});

describe('random input on the message path', function () {
  this.timeout(limitMs(60_000));
  const proxies: OpenProxy[] = [];
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const paths: readonly { readonly title: string; readonly open: () => Promise<Tried> }[] = [
    { title: 'a shared process', open: () => openStdio([]) },
    { title: 'a shared process, with a policy', open: () => openStdio(['judged']) },
    { title: 'an HTTP server', open: () => openHttp([]) },
    { title: 'an HTTP server, with a policy', open: () => openHttp(['judged']) },
  ];
  for (const { title, open } of paths) {
    it(`gets a response, and the server gets exactly what policies approved: ${title}`, async () => {
      const tried = await open();
      const before = heapBytes();
      await fc.assert(
        fc.asyncProperty(mutated, headers, (body, given) => tryOne(tried, body, given)),
        trialsFor({ short: 150, minutes: 2.5 }),
      );
      const after = await new McpClient(tried.url, tried.session).post(CALL);
      expect([after.status, after.json.id]).to.deep.equal([200, 'after']);
      expect(tried.proxy.stats.waiting).to.equal(0);
      expect(heapBytes() - before).to.be.lessThan(MAX_GROWTH);
    });
  }

  interface Witness {
    readonly judged: string[] | undefined;
    readonly middleware: readonly PlacedProxyMiddleware[];
  }

  interface Tried {
    readonly proxy: OpenProxy;
    readonly url: URL;
    readonly session: string;
    /** Texts that the middleware judged; undefined without a middleware. */
    readonly judged: string[] | undefined;
    /** Returns and clears the texts that the server received. */
    readonly takeReceived: () => readonly string[];
  }

  async function tryOne(
    { url, session, judged, takeReceived }: Tried,
    body: Buffer,
    given: Readonly<Record<string, string | undefined>>,
  ): Promise<void> {
    const fields = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === 'OWN' ? session : value]],
    );
    const answer: Answer = await inTime(
      'an answer',
      send(url, { method: 'POST', headers: Object.fromEntries(fields), body }),
    );
    expect(STATUSES, `${answer.status}: ${answer.text}`).to.include(answer.status);
    if (answer.json !== undefined) expect(answer.json).to.not.have.property('id', null);
    const received = takeReceived();
    if (judged === undefined) return;
    // The server must receive exactly the text that was judged.
    for (const text of received) expect(judged, text).to.include(text);
    for (const text of judged.splice(0)) expect(readingsOf(text).size, text).to.equal(1);
  }

  function witness(options: readonly 'judged'[]): Witness {
    if (options.length === 0) return { judged: undefined, middleware: [] };
    const judged: string[] = [];
    const instance: ProxyMiddleware = {
      onMessage: ({ text }) => {
        judged.push(text);
      },
      onResponse: () => undefined,
    };
    return { judged, middleware: [{ name: 'witness', placed: 'authorize', instance }] };
  }

  async function finish(
    backend: ServerBackend,
    options: readonly 'judged'[],
    take: () => readonly string[],
  ): Promise<Tried> {
    const { judged, middleware } = witness(options);
    const proxy = await openProxy({
      backend,
      middleware,
      instance: 'fuzzed',
      transport: 'stdio',
      version: '0.0.0',
      clock: () => new Date(),
      restarts: new TestRestarts(),
      logger: QUIET,
      limits: { graceMs: 20, makesRoomAfterMs: 0, maxSessions: 64, startWaitMs: 1000 },
    });
    proxies.push(proxy);
    const url = new URL(proxy.url);
    const begun = await new McpClient(url).post(initialize('2025-03-26'));
    const session = String(begun.headers['mcp-session-id']);
    take();
    judged?.splice(0);
    return { proxy, url, session, judged, takeReceived: take };
  }

  async function openHttp(options: readonly 'judged'[]): Promise<Tried> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      const id = idIn(body);
      const fields = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'of-the-server' };
      response.writeHead(id === undefined ? 202 : 200, fields);
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
    backends.push(backend);
    const target = backend.url;
    return finish(
      { carries: 'http', transport: 'streamable-http', target, isRemote: false, checksHealth: false },
      options,
      () => backend.received.splice(0).map(({ body }) => body.toString()),
    );
  }

  async function openStdio(options: readonly 'judged'[]): Promise<Tried> {
    const servers = new ScriptedServers({ received: speak });
    const backend = servers.backend({ sessions: 'shared' });
    return finish(backend, options, () => {
      for (const { sent } of servers.all) sent.splice(0);
      return [];
    });
  }
});

/** Returns the used heap in bytes, after a garbage collection. */
function heapBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  // SAFETY: the flag defines the function `gc` in every new context.
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

/**
 * Reads the id as a server that uses JavaScript numbers does. Returns undefined for a body that is not JSON.
 */
function idIn(body: Buffer): unknown {
  try {
    const { id } = JSON.parse(body.toString()) as { readonly id?: unknown };
    return id;
  } catch {
    return undefined; // not JSON, so there is no id
  }
}
