import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';

const LIST = { id: 7, method: 'tools/list' };
const MINUTE = 60_000;

describe('sessions of a server that speaks HTTP (--session-ttl, C21)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(options: TestProxyOptions = {}, isRemote = false) {
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
      response.end(method === 'DELETE' ? '' : '{"jsonrpc":"2.0","id":7,"result":{}}');
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
      ...(await proxies.open(behind, { nowMs: clock.nowMs, sessionTtlMs: MINUTE, ...options })),
      backend,
      clock,
    };
  }

  const targets = [
    { title: 'in a container', isRemote: false },
    { title: 'elsewhere', isRemote: true },
  ];
  for (const { title, isRemote } of targets) {
    it(`end when nobody used them for their time: ${title}`, async () => {
      const { url, backend, clock, proxy } = await open({}, isRemote);
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

  it('a clock that jumps by six hours › ends no session', async () => {
    const wallClock = new FakeClock();
    const { url } = await open({ clock: wallClock.clock });
    const client = await McpClient.connect(url);
    wallClock.advance(6 * 60 * MINUTE);
    expect((await client.post(LIST)).status).to.equal(200);
  });

  it('live while a stream is open', async () => {
    const { url, clock } = await open();
    const client = await McpClient.connect(url);
    const stream = await client.listen();
    clock.advance(10 * MINUTE);
    expect((await client.post(LIST)).status).to.equal(200);
    stream.leave();
  });

  it('are forgotten when they are ended, and those that were not seen to begin are left to the server', async () => {
    const { url, proxy, backend, clock } = await open();
    const client = await McpClient.connect(url);
    expect((await client.end()).status).to.equal(204);
    expect(proxy.stats.sessions).to.equal(0);
    const older = new McpClient(url, 'of-before');
    clock.advance(10 * MINUTE);
    expect((await older.post(LIST)).status).to.equal(200);
    expect(backend.received.at(-1)?.headers['mcp-session-id']).to.equal('of-before');
  });

  it('do not end by a session id that comes with initialize', async () => {
    const { url, clock } = await open();
    const client = await McpClient.connect(url);
    clock.advance(10 * MINUTE);
    expect((await new McpClient(url, client.session).post(initialize())).status).to.equal(200);
  });
});
