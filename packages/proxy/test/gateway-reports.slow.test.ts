import { once } from 'node:events';
import type { MessageBackend, ServerBackend } from '@portolan/plugin-api';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ChildConnection } from './support/child-connection.ts';
import { type Handle, HttpBackendUnderTest } from './support/http-backend.ts';
import { begin, Events, open as openRequest, send } from './support/http-client.ts';
import { initialize, McpClient } from './support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from './support/proxy-under-test.ts';
import { TestRestarts } from './support/test-restarts.ts';

/**
 * A server on standard input and output. It never responds to a call of `wait`. During `initialize` it also
 * sends a notification and a request of its own, whose id is the client's.
 */
const SERVER = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  if (method === 'initialize') {
    say({ method: 'notifications/message', params: { level: 'info', data: 'starting' } });
    say({ id, method: 'roots/list' });
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'everything', version: '1' } } });
  } else if (method === 'tools/list') say({ id, result: { tools: [{
    name: 'echo', title: 'Echo', inputSchema: { type: 'object' }, outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true }, _meta: { 'example.org/cost': 3 } }] } });
  else if (method === 'tools/call' && params.name === 'wait') console.error('waiting');
  else if (method === 'tools/call') say({ id, result: {
    content: [{ type: 'text', text: 'done' }], structuredContent: { score: 7 }, _meta: { 'example.org/id': 'x' } } });
  else if (id !== undefined && method !== undefined) say({ id, result: {} });
});`;

const LIST = { id: 'list', method: 'tools/list' };
const callOf = (name: string) => ({ id: name, method: 'tools/call', params: { name, arguments: {} } });
const NOTHING_LISTED = { tools: [], protocolVersion: '2025-11-25', capabilities: {} };

/** Processes of a server that a proxy starts. */
class Processes {
  readonly all: ChildConnection[] = [];
  /** Whether the engine fails to start another one. */
  isRefusing = false;
  readonly #script: string;

  constructor(script = SERVER) {
    this.#script = script;
  }

  get running(): readonly number[] {
    const isRunning = ({ process: { exitCode, signalCode } }: ChildConnection): boolean =>
      exitCode === null && signalCode === null;
    return this.all.filter(isRunning).map(({ process }) => process.pid ?? 0);
  }

  backend(more: Partial<MessageBackend> = {}): ServerBackend {
    const openConnection = async (): Promise<ChildConnection> => {
      if (this.isRefusing) throw new Error('spawn /bin/sh EAGAIN');
      const connection = new ChildConnection(process.execPath, ['-e', this.#script]);
      this.all.push(connection);
      return connection;
    };
    return { carries: 'messages', mode: 'streamable-http', sessions: 'own', openConnection, ...more };
  }
}

describe('publicly reported faults of gateways and bridges', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function openHttp(
    handle: Handle,
    {
      transport = 'streamable-http',
      path = '/mcp',
    }: { transport?: 'sse' | 'streamable-http'; path?: string } = {},
  ): Promise<{ readonly url: URL; readonly backend: HttpBackendUnderTest }> {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    const target = new URL(path, backend.url);
    const { url } = await proxies.open({ carries: 'http', transport, target, isRemote: true });
    return { url, backend };
  }

  const openProcesses = async (
    processes: Processes,
    more: Partial<MessageBackend> = {},
    options: TestProxyOptions = {},
  ): Promise<URL> => (await proxies.open(processes.backend(more), options)).url;

  it('supergateway 139: responds at once when the server exits before it responds', async () => {
    const url = await openProcesses(
      // An exit before the client's request would be the failure of a spare process.
      new Processes(
        'process.stdin.once("data", () => { console.error("Cannot find module ./tools"); process.exit(1); });',
      ),
    );
    const response = await new McpClient(url).post(initialize());
    expect(response.status).to.equal(502);
    expect(response.json).to.deep.include({ id: 'init' });
    expect(response.json.error.data).to.deep.equal({ reason: 'server_exited' });
  });

  it('supergateway 108, supergateway 141: ends the process of each session with the session', async () => {
    const processes = new Processes();
    const url = await openProcesses(processes);
    for (let count = 0; count < 3; count += 1) {
      const client = await McpClient.connect(url);
      expect((await client.post(LIST)).status).to.equal(200);
      const before = processes.running;
      expect((await client.end()).status).to.equal(204);
      await eventually(() => expect(before.every((pid) => processes.running.includes(pid))).to.equal(false));
    }
    await eventually(() => expect(processes.running, 'the spare').to.have.length(1));
  });

  it('supergateway 126: keeps the session when a client opens its stream a second time', async () => {
    const processes = new Processes();
    const url = await openProcesses(processes);
    const client = await McpClient.connect(url);
    const streams = [await client.listen(), await client.listen()];
    expect(streams.map(({ response }) => response.statusCode)).to.deep.equal([200, 200]);
    expect((await client.post(LIST)).status).to.equal(200);
    for (const stream of streams) stream.leave();
    expect((await client.post(LIST)).status).to.equal(200);
  });

  for (const sessions of ['own', 'shared'] as const) {
    it(`supergateway 116: serves other clients after one disconnected during a call (${sessions} process)`, async () => {
      const processes = new Processes();
      const url = await openProcesses(processes, { sessions });
      const [one, other] = [await McpClient.connect(url), await McpClient.connect(url)];
      const call = begin(url, { headers: one.headers() });
      call.end(JSON.stringify({ jsonrpc: '2.0', ...callOf('wait') }));
      const received = processes.all.map(async ({ process }) => await once(process.stderr, 'data'));
      await Promise.race(received);
      call.destroy();
      expect((await other.post(callOf('echo'))).json.result.structuredContent).to.deep.equal({ score: 7 });
      expect((await one.post(callOf('echo'))).json.result.structuredContent).to.deep.equal({ score: 7 });
    });
  }

  it('supergateway 160: ends an unused session after --session-ttl although its stream is open', async () => {
    const processes = new Processes();
    const clock = new FakeClock();
    const url = await openProcesses(processes, {}, { sessionTtlMs: 600, nowMs: clock.nowMs });
    const client = await McpClient.connect(url);
    const stream = await client.listen();
    const [own] = processes.all;
    clock.advance(60_000);
    await stream.over();
    await eventually(() => expect(own?.process.exitCode ?? own?.process.signalCode).to.not.equal(null));
    expect((await client.post(LIST)).status).to.equal(404);
  });

  it('supergateway 177: refuses one session, and keeps the others, when no process can start', async () => {
    const processes = new Processes();
    const restarts = new TestRestarts({ firstDelayMs: 10, longestDelayMs: 50, failures: 1000 });
    const url = await openProcesses(processes, {}, { restarts });
    const client = await McpClient.connect(url);
    processes.isRefusing = true;
    await eventually(async () => {
      // the first client may get the spare process
      const refused = await new McpClient(url).post(initialize());
      expect(refused.status).to.equal(503);
      expect(refused.json.error.message).to.match(/^The server (?:cannot be started|is still starting)\.$/);
    });
    expect((await client.post(LIST)).status).to.equal(200);
    processes.isRefusing = false;
    await eventually(async () => expect((await new McpClient(url).post(initialize())).status).to.equal(200));
  });

  it('metamcp 318: reports that all sessions are in use, and never an unknown tool', async () => {
    const limits = { graceMs: 20, startWaitMs: 2000, maxProcesses: 1, makesRoomAfterMs: 600_000 };
    const url = await openProcesses(new Processes(), {}, { limits });
    const client = await McpClient.connect(url);
    const response = await new McpClient(url).post(initialize());
    expect([response.status, response.json.error.message]).to.deep.equal([
      503,
      'All 1 sessions of this server are in use.',
    ]);
    expect((await client.post(callOf('echo'))).status).to.equal(200);
  });

  it('toolhive 4425: responds to an unknown session with 404 and a JSON-RPC error', async () => {
    const url = await openProcesses(new Processes());
    const response = await new McpClient(url, 'bogus-id').post(LIST);
    expect([response.status, response.headers['content-type']]).to.deep.equal([404, 'application/json']);
    expect(response.json).to.deep.equal({
      jsonrpc: '2.0',
      id: 'list',
      error: { code: -32001, message: 'Session not found' },
    });
  });

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`toolhive 379, toolhive 1568: separates requests of the server from its responses (${mode})`, async () => {
      const url = await openProcesses(new Processes(), { mode });
      if (mode === 'streamable-http') {
        const client = await McpClient.connect(url, { capabilities: { roots: {} } });
        expect((await client.post(LIST)).json.result.tools).to.have.length(1);
        return;
      }
      const stream = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const endpoint = await eventually(() => {
        expect(stream.all).to.have.length(1);
        return new URL(stream.all[0]?.data ?? '', url);
      });
      const post = async (message: object): Promise<number> => {
        const body = JSON.stringify({ jsonrpc: '2.0', ...message });
        const headers = { 'Content-Type': 'application/json' };
        return (await send(endpoint, { method: 'POST', headers, body })).status;
      };
      expect(await post(initialize())).to.equal(202);
      const { result } = await stream.got(({ id, result: found }) => id === 'init' && found !== undefined);
      expect(result.serverInfo.name).to.equal('everything');
      expect(await post(LIST)).to.equal(202);
      expect((await stream.got(({ id }) => id === 'list')).result.tools).to.have.length(1);
      stream.leave();
    });
  }

  it('gridctl 848: passes structured results, output schemas and metadata unchanged', async () => {
    const client = await McpClient.connect(await openProcesses(new Processes()));
    expect((await client.post(LIST)).json.result.tools).to.deep.equal([
      {
        name: 'echo',
        title: 'Echo',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        _meta: { 'example.org/cost': 3 },
      },
    ]);
    expect((await client.post(callOf('echo'))).json.result).to.deep.equal({
      content: [{ type: 'text', text: 'done' }],
      structuredContent: { score: 7 },
      _meta: { 'example.org/id': 'x' },
    });
  });

  it('Roo-Code 6557: names the path of the server at every other path', async () => {
    const url = await openProcesses(new Processes());
    for (const response of [
      await new McpClient(new URL('/', url)).post(initialize()),
      await send(new URL('/sse', url), { headers: { Accept: 'text/event-stream' } }),
    ]) {
      expect(response.status).to.equal(404);
      expect(response.json.error.message).to.include('the server is at /mcp');
    }
  });

  it('ai-platform-engineering 2686: keeps the session when the server redirects /mcp/ to /mcp', async () => {
    const { url, backend } = await openHttp(
      ({ url: path, body, headers }, response) => {
        if (path === '/mcp/') return void response.writeHead(307, { Location: '/mcp' }).end();
        const { id, method } = JSON.parse(String(body));
        const isKnown = method === 'initialize' || headers['mcp-session-id'] === 's1';
        if (!isKnown) return void response.writeHead(400).end('invalid session ID header');
        const type = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's1' };
        return void response
          .writeHead(id === undefined ? 202 : 200, type)
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: NOTHING_LISTED }));
      },
      { path: '/mcp/' },
    );
    const client = await McpClient.connect(url);
    expect((await client.post(LIST)).json.result.tools).to.deep.equal([]);
    expect(backend.received.filter(({ url: path }) => path === '/mcp')).to.have.length(3);
  });

  for (const { endpoint, path } of [
    { endpoint: '?sessionId=7', path: '/v1/sse?sessionId=7' },
    { endpoint: 'messages?sessionId=7', path: '/v1/messages?sessionId=7' },
    { endpoint: '/messages?sessionId=7', path: '/messages?sessionId=7' },
  ]) {
    it(`agentgateway 166: resolves the endpoint ${endpoint} as an address of the stream`, async () => {
      const posted: string[] = [];
      const { url } = await openHttp(
        ({ url: target, method }, response) => {
          if (method === 'POST') posted.push(target);
          if (method === 'POST') return void response.writeHead(202).end('Accepted');
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          return void response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
        },
        { transport: 'sse', path: '/v1/sse' },
      );
      const warnings: string[] = [];
      const note = ({ name }: Error): void => void warnings.push(name);
      process.on('warning', note);
      const stream = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const data = await eventually(() => {
        expect(stream.all).to.have.length(1);
        return stream.all[0]?.data ?? '';
      });
      expect(data, 'clients that join paths as text need a path').to.match(/^\//);
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect((await send(new URL(data, url), { method: 'POST', headers, body })).status).to.equal(202);
      expect(posted).to.deep.equal([path]);
      stream.leave();
      process.off('warning', note);
      expect(warnings, 'listeners of a response').to.deep.equal([]);
    });
  }

  it('agentgateway 2980: sends the server the revision that the session agreed on', async () => {
    const versions: unknown[] = [];
    const { url } = await openHttp(({ method, body, headers }, response) => {
      if (method !== 'POST') return void response.writeHead(405).end();
      versions.push(headers['mcp-protocol-version']);
      const { id } = JSON.parse(String(body));
      const type = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's1' };
      const result = { ...NOTHING_LISTED, serverInfo: { name: 's', version: '1' } };
      return void response
        .writeHead(id === undefined ? 202 : 200, type)
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const client = new Client({ name: 'report', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url));
    await client.listTools().finally(async () => await client.close());
    expect(versions).to.deep.equal([undefined, '2025-11-25', '2025-11-25']);
  });
});
