import type { ProxyMiddleware } from '@portolan/plugin-api';
import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';

const LIST = { id: 7, method: 'tools/list' };
const MINUTE = 60_000;
const UNCHANGED: ProxyMiddleware = { onResponse: () => undefined };

describe('sessions of an HTTP server (--session-ttl, C21)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(options: TestProxyOptions = { sessionTtlMs: MINUTE }, isRemote = false) {
    let count = 0;
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method === 'GET') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': here\n\n');
        return;
      }
      const begins = String(body).includes('"initialize"');
      if (begins) count += 1;
      response.writeHead(method === 'DELETE' ? 204 : 200, {
        'Content-Type': 'application/json',
        ...(begins ? { 'Mcp-Session-Id': `s${count}` } : {}),
      });
      const id = begins ? '"init"' : '7';
      response.end(method === 'DELETE' ? '' : `{"jsonrpc":"2.0","id":${id},"result":{}}`);
    });
    backends.push(backend);
    const clock = new FakeClock();
    const forwardHeaders = [{ name: 'X-Key', value: 'of the workload' }];
    const behind = {
      carries: 'http',
      transport: 'streamable-http',
      target: backend.url,
      isRemote,
      forwardHeaders,
    } as const;
    return {
      ...(await proxies.open(behind, { nowMs: clock.nowMs, ...options })),
      backend,
      clock,
    };
  }

  async function openEvents(options: TestProxyOptions) {
    const backend = await HttpBackendUnderTest.start(({ method }, response) => {
      if (method === 'POST') {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?id=1\n\n');
    });
    backends.push(backend);
    const clock = new FakeClock();
    const behind = { carries: 'http', transport: 'sse', target: backend.url, isRemote: false } as const;
    return { ...(await proxies.open(behind, { nowMs: clock.nowMs, ...options })), backend, clock };
  }

  async function connect(url: URL) {
    const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
    const endpoint = await eventually(() => {
      const [first] = events.all;
      if (first === undefined) throw new Error('no event');
      return new URL(first.data, url);
    });
    const headers = { 'Content-Type': 'application/json' };
    const post = (message: object) =>
      send(endpoint, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    return { events, post };
  }

  const targets = [
    { title: 'in a container', isRemote: false },
    { title: 'elsewhere', isRemote: true },
  ];
  for (const { title, isRemote } of targets) {
    it(`end after the session TTL without use: ${title}`, async () => {
      const { url, backend, clock, proxy } = await open({ sessionTtlMs: MINUTE }, isRemote);
      const client = await McpClient.connect(url);
      clock.advance(MINUTE);
      expect((await client.post(LIST)).status).to.equal(200);
      expect(proxy.stats.sessions).to.equal(1);
      clock.advance(MINUTE + 1);
      const late = await client.post(LIST);
      expect([late.status, late.json.id, late.json.error.code]).to.deep.equal([404, 7, -32001]);
      const told = await eventually(() => {
        const found = backend.received.at(-1);
        if (found?.method !== 'DELETE') throw new Error('the server was not told');
        return found;
      });
      expect(told.headers).to.include({ 'mcp-session-id': 's1', 'x-key': 'of the workload' });
      expect((await client.post(LIST)).status).to.equal(404);
      expect(proxy.stats.sessions).to.equal(0);
      expect((await McpClient.connect(url)).session).to.equal('s2');
    });
  }

  it('survive a wall clock that jumps by six hours', async () => {
    const wallClock = new FakeClock();
    const { url } = await open({ sessionTtlMs: MINUTE, clock: wallClock.clock });
    const client = await McpClient.connect(url);
    wallClock.advance(6 * 60 * MINUTE);
    expect((await client.post(LIST)).status).to.equal(200);
  });

  it('stay open while a stream is open and no session TTL is set', async () => {
    const { url, clock } = await open({});
    const client = await McpClient.connect(url);
    const stream = await client.listen();
    clock.advance(1000 * MINUTE);
    expect((await client.post(LIST)).status).to.equal(200);
    stream.leave();
  });

  const policies = [
    { title: '', middleware: [] },
    { title: ', with a policy', middleware: [{ name: 'asked', placed: 'filter', instance: UNCHANGED }] },
  ] as const;
  for (const { title, middleware } of policies) {
    it(`end with their streams after the session TTL without a message${title}`, async () => {
      const { url, clock, backend, proxy } = await open({ sessionTtlMs: 50, middleware });
      const client = await McpClient.connect(url);
      const stream = await client.listen();
      clock.advance(50);
      expect((await client.post(LIST)).status).to.equal(200);
      clock.advance(40);
      const second = await client.listen();
      clock.advance(11);
      await Promise.all([stream.over(), second.over()]);
      expect([stream.isBroken, second.isBroken]).to.deep.equal([false, false]);
      await eventually(() => expect(backend.received.at(-1)?.method).to.equal('DELETE'));
      await eventually(() => expect(backend.open).to.equal(0));
      expect((await client.post(LIST)).status).to.equal(404);
      expect(proxy.stats.sessions).to.equal(0);
    });
  }

  it('stay open after the session TTL while a request is pending', async () => {
    const { url, clock, backend } = await open({ sessionTtlMs: 50 });
    const client = await McpClient.connect(url);
    const { handle } = backend;
    const held = new Promise<ServerResponse>((resolve) => {
      backend.handle = (_, response) => resolve(response);
    });
    const calling = client.post(LIST);
    const response = await held;
    backend.handle = handle;
    clock.advance(1000);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end('{"jsonrpc":"2.0","id":7,"result":{}}');
    expect((await calling).status).to.equal(200);
    clock.advance(50);
    expect((await client.post(LIST)).status).to.equal(200);
  });

  for (const { title, middleware } of policies) {
    it(`end with their stream over HTTP+SSE${title}`, async () => {
      const { url, backend, clock } = await openEvents({ sessionTtlMs: 50, middleware });
      const { events, post } = await connect(url);
      clock.advance(50);
      expect((await post(LIST)).status).to.equal(202);
      clock.advance(51);
      await events.over();
      expect(events.isBroken).to.equal(false);
      await eventually(() => expect(backend.open).to.equal(0));
      expect((await post(LIST)).status).to.equal(404);
      expect(backend.received.map(({ method }) => method)).not.to.include('DELETE');
    });
  }

  it('stay open as long as their stream over HTTP+SSE when no session TTL is set', async () => {
    const { url, clock } = await openEvents({});
    const { events, post } = await connect(url);
    clock.advance(1000 * MINUTE);
    expect((await post(LIST)).status).to.equal(202);
    events.leave();
  });

  it('are removed when they end; requests with unknown session ids are sent to the server', async () => {
    const { url, proxy, backend, clock } = await open();
    const client = await McpClient.connect(url);
    expect((await client.end()).status).to.equal(204);
    expect(proxy.stats.sessions).to.equal(0);
    const older = new McpClient(url, 'of-before');
    clock.advance(10 * MINUTE);
    expect((await older.post(LIST)).status).to.equal(200);
    expect(backend.received.at(-1)?.headers['mcp-session-id']).to.equal('of-before');
  });

  it('are not ended by a session id on initialize', async () => {
    const { url, clock } = await open();
    const client = await McpClient.connect(url);
    clock.advance(10 * MINUTE);
    expect((await new McpClient(url, client.session).post(initialize())).status).to.equal(200);
  });
});
