import type { SessionStore } from '@portolan/plugin-api';
import { createTestContext, eventually } from '@portolan/plugin-testing';
import { redis } from '@portolan/session-store-redis';
import { expect } from 'chai';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { ModernClient } from '../../../packages/proxy/test/support/modern-client.ts';
import { as, namedCallers } from '../../../packages/proxy/test/support/named-callers.ts';
import { Proxies, type TestProxyOptions } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ASKED } from './support/name-exchange.ts';
import { ProxyProcess } from './support/proxy-process.ts';
import { ResumableBackend } from './support/resumable-backend.ts';

const call = (name: string, id: unknown = 1) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { a: 1 } },
});

describe('sessions of several proxies with one Redis', function () {
  this.timeout(180_000);
  const proxies = new Proxies();
  const stores: SessionStore[] = [];
  const processes: ProxyProcess[] = [];
  let server: RedisServer;
  let backend: ResumableBackend;
  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else server = await RedisServer.start(program);
  });
  beforeEach(async () => {
    backend = await ResumableBackend.start();
  });
  afterEach(async () => {
    server.thaw();
    await proxies.close();
    await Promise.all(processes.splice(0).map((each) => each.kill()));
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await backend.http.close();
  });
  after(() => server?.stop());

  /**
   * A test in which Redis hangs passes a short `timeout`. The others wait longer, since the machine may be
   * busy.
   */
  async function open(options: TestProxyOptions = {}, timeout = '20s'): Promise<URL> {
    const ttlMs = options.sessionTtlMs ?? 60_000;
    const context = {
      address: server.address,
      password: undefined,
      namespace: backend.http.url.href,
      ttlMs,
    };
    const store = await redis.create({ prefix: 'test', timeout }, { ...createTestContext(), ...context });
    stores.push(store);
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.http.url, isRemote: false },
      { ...options, sessionStore: store, sessionTtlMs: ttlMs },
    );
    return url;
  }

  for (const judged of [false, true]) {
    const options: TestProxyOptions = judged
      ? { middleware: [{ name: 'asked', placed: 'filter', instance: ASKED }] }
      : {};
    const under = judged ? ', under policy' : '';

    it(`work at any proxy, and end at all${under}`, async () => {
      const [first, second] = [await open(options), await open(options)];
      const { session } = await McpClient.connect(first);
      for (let turn = 0; turn < 20; turn += 1) {
        const url = turn % 2 === 0 ? second : first;
        const answer = await new McpClient(url, session).post(call('plain', turn));
        expect([answer.status, answer.json.id]).to.deep.equal([200, turn]);
      }
      expect((await new McpClient(second, session).end()).status).to.equal(204);
      await eventually(async () => {
        const answer = await new McpClient(first, session).post(call('plain', 'late'));
        expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([404, 'late', -32001]);
      });
    });

    it(`belong to the caller that opened them, at every proxy${under}`, async () => {
      const both = { ...options, authProvider: namedCallers };
      const [first, second] = [await open(both), await open(both)];
      const begun = await new McpClient(first).post(initialize(), { headers: as('ada@one') });
      const client = new McpClient(second, String(begun.headers['mcp-session-id']));
      expect((await client.post(call('plain'), { headers: as('ada@one') })).status).to.equal(200);
      for (const stranger of ['bob@one', 'ada@two', '']) {
        const answer = await client.post(call('plain'), { headers: as(stranger) });
        expect([answer.status, answer.json.error.code], stranger).to.deep.equal([404, -32001]);
      }
    });

    it(`are refused while Redis is down, and continue afterwards${under}`, async () => {
      const url = await open(options, '1s');
      const client = await McpClient.connect(url);
      server.freeze();
      const refused = await client.post(call('plain', 'x'));
      expect([refused.status, refused.headers['retry-after'], refused.json.id]).to.deep.equal([
        503,
        '5',
        'x',
      ]);
      expect(refused.json.error.message).to.equal('The session store is unavailable.');
      const listened = await send(url, {
        headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': client.session },
      });
      expect(listened.status).to.equal(503);
      const known = new Set(backend.sessions);
      expect((await new McpClient(url).post(initialize())).status).to.equal(503);
      // A session that no proxy could serve is removed.
      await eventually(() => expect(backend.sessions).to.deep.equal(known));
      expect((await new ModernClient(url).post({ method: 'tools/list' })).status).to.equal(200);
      server.thaw();
      await eventually(async () => expect((await client.post(call('plain'))).status).to.equal(200));
    });
  }

  it('match a response to the latest request with its ID, at any proxy', async () => {
    const options: TestProxyOptions = {
      middleware: [{ name: 'asked', placed: 'filter', instance: ASKED }],
    };
    const [first, second] = [await open(options), await open(options)];
    const client = await McpClient.connect(first);
    const other = new McpClient(second, client.session);
    for (const id of [7, 'seven']) {
      const old = await client.stream(call('slow', id));
      await old.got((message) => message.id === id);
      await old.over();
      const later = await other.stream(call('held', id));
      await eventually(() => expect(backend.held).to.equal(1));
      const resumed = await client.listen({ 'Last-Event-ID': String(old.all[0]?.id) });
      await resumed.over();
      expect(
        resumed.all.filter(({ data }) => data !== ''),
        String(id),
      ).to.deep.equal([]);
      backend.release();
      const { result } = await later.got((message) => message.id === id);
      expect(result).to.deep.equal({ said: 'held', asked: 'tools/call' });
    }
  });

  it('are opened again when Redis has lost them', async () => {
    const url = await open();
    const client = await McpClient.connect(url);
    await server.kill();
    expect((await client.post(call('plain'))).status).to.equal(503);
    await server.restart();
    await eventually(async () => expect((await client.post(call('plain'))).status).to.equal(404));
    expect((await (await McpClient.connect(url)).post(call('plain'))).status).to.equal(200);
  });

  it('end with their streams at every proxy after the session TTL without a message', async () => {
    const [first, second] = [await open({ sessionTtlMs: 2000 }), await open({ sessionTtlMs: 2000 })];
    const [idle, busy] = [await McpClient.connect(first), await McpClient.connect(first)];
    const [idleStream, busyStream] = [await idle.listen(), await busy.listen()];
    const elsewhere = new McpClient(second, busy.session);
    await eventually(
      async () => {
        expect((await elsewhere.post(call('plain'))).status).to.equal(200);
        expect(idleStream.isOver).to.equal(true);
      },
      { withinMs: 30_000 },
    );
    expect(busyStream.isOver).to.equal(false);
    expect((await new McpClient(second, idle.session).post(call('plain'))).status).to.equal(404);
    await busyStream.over();
    expect((await elsewhere.post(call('plain'))).status).to.equal(404);
  });

  it('survive the kill of a proxy, and another proxy resumes the stream and filters its responses', async () => {
    const target = backend.http.url;
    const first = await ProxyProcess.start(target, server.address);
    const second = await ProxyProcess.start(target, server.address);
    processes.push(first, second);
    const client = await McpClient.connect(first.url);
    const stream = await client.stream(call('held', 7));
    const begun = await eventually(() => {
      const [event] = stream.all;
      if (event?.id === undefined) throw new Error('no event yet');
      return event;
    });
    await first.kill();
    await stream.over();
    const later = new McpClient(second.url, client.session);
    // The id waits, also for the proxy that has not seen it.
    const again = await later.post({ id: 7, method: 'ping' });
    expect(again.json.error.message).to.match(/^A request with this id is already pending/);
    const resumed = await later.listen({ 'Last-Event-ID': String(begun.id) });
    backend.release();
    const answer = await resumed.got(({ id }) => id === 7);
    expect(answer.result).to.deep.equal({ said: 'held', asked: 'tools/call' });
    expect((await later.post({ id: 7, method: 'ping' })).json.result.asked).to.equal('ping');
  });
});
