import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { begin } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers, type Served } from '../support/scripted-server.ts';
import { TestRestarts } from '../support/test-restarts.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'a' } };
const NOTICE = { method: 'notifications/x' };

describe('bridge with more clients than process slots (C22)', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(limits: TestProxyOptions['limits'], script: Script = {}, served: Served = {}) {
    const servers = new ScriptedServers(script);
    const restarts = new TestRestarts({ firstDelayMs: 1, longestDelayMs: 1, withinMs: 1 });
    return { ...(await proxies.open(servers.backend(served), { limits: limits ?? {}, restarts })), servers };
  }

  it('opens one session after the other by ending idle ones', async () => {
    const { url, proxy } = await open({ maxProcesses: 4, makesRoomAfterMs: 30 });
    const clients: McpClient[] = [];
    for (let count = 0; count < 17; count += 1) clients.push(await McpClient.connect(url));
    expect(new Set(clients.map(({ session }) => session))).to.have.property('size', 17);
    const statuses = await Promise.all(clients.map(async (client) => (await client.post(NOTICE)).status));
    expect(statuses).to.deep.equal([...Array<number>(13).fill(404), ...Array<number>(4).fill(202)]);
    expect(proxy.stats.sessions).to.equal(4);
  });

  it('opens sessions of concurrent clients as soon as earlier sessions have been idle for the minimum time', async () => {
    const { url, proxy } = await open({ maxProcesses: 3, makesRoomAfterMs: 50 });
    const clients = await Promise.all(Array.from({ length: 10 }, () => McpClient.connect(url)));
    expect(clients.every(({ session }) => session !== '')).to.equal(true);
    expect(proxy.stats.sessions).to.equal(3);
  });

  it('reuses a slot that a client frees, without ending another session', async () => {
    const { url } = await open({ maxProcesses: 2, makesRoomAfterMs: 60_000 });
    const [first, second] = [await McpClient.connect(url), await McpClient.connect(url)];
    const third = McpClient.connect(url);
    await first.end();
    expect((await third).session).to.not.equal('');
    expect((await second.post(NOTICE)).status).to.equal(202);
  });

  it('does not end sessions with a pending request or an open stream', async () => {
    const { url, servers } = await open({ maxProcesses: 3, makesRoomAfterMs: 1 });
    const [asking, listening, idle] = await Promise.all([1, 2, 3].map(() => McpClient.connect(url)));
    const answer = asking?.post(CALL);
    await eventually(() => expect(servers.all.some((server) => hasCall(server.sent))).to.equal(true));
    const stream = await listening?.listen();
    expect((await McpClient.connect(url)).session).to.not.equal('');
    expect((await idle?.post(NOTICE))?.status).to.equal(404);
    expect((await listening?.post(NOTICE))?.status).to.equal(202);
    const asked = servers.all.find((server) => hasCall(server.sent));
    asked?.say({ id: (await asked.got('tools/call')).id, result: {} });
    expect((await answer)?.status).to.equal(200);
    stream?.leave();
  });

  it('ends a session after its stream is closed', async () => {
    const { url } = await open({ maxProcesses: 2, makesRoomAfterMs: 20 });
    const clients = [await McpClient.connect(url), await McpClient.connect(url)];
    const streams = await Promise.all(clients.map((client) => client.listen()));
    const refused = await new McpClient(url).post(initialize());
    expect(refused.status).to.equal(503);
    for (const stream of streams) stream.leave();
    await eventually(async () => expect((await McpClient.connect(url)).session).to.not.equal(''));
  });

  it('refuses with Retry-After at once when all sessions are busy', async () => {
    const { url } = await open({ maxProcesses: 1 });
    const client = await McpClient.connect(url);
    const stream = await client.listen();
    const refused = await new McpClient(url).post(initialize());
    expect([refused.status, refused.json.id, refused.headers['retry-after']]).to.deep.equal([
      503,
      'init',
      '5',
    ]);
    expect((await client.post(NOTICE)).status).to.equal(202);
    stream.leave();
  });

  it('refuses a client after the maximum wait', async () => {
    const { url, servers } = await open({ maxProcesses: 1, startWaitMs: 30, makesRoomAfterMs: 60_000 });
    const client = await McpClient.connect(url);
    const refused = await new McpClient(url).post(initialize());
    expect([refused.status, refused.json.error.message]).to.deep.equal([
      503,
      'All 1 sessions of this server are in use.',
    ]);
    expect([servers.all.length, (await client.post(NOTICE)).status]).to.deep.equal([1, 202]);
  });

  it('starts no process for a client that disconnects while it waits', async () => {
    const { url, servers, proxy } = await open({ maxProcesses: 1, makesRoomAfterMs: 60_000 });
    const client = await McpClient.connect(url);
    const leaving = begin(url, { headers: client.headers() });
    leaving.end(JSON.stringify({ jsonrpc: '2.0', ...initialize() }));
    await eventually(() => expect(proxy.stats.waiting).to.equal(1));
    leaving.destroy();
    await client.end();
    await eventually(() => expect(proxy.stats.waiting).to.equal(0));
    await McpClient.connect(url);
    expect(servers.greeted).to.have.length(2);
  });

  it('ends idle sessions for new ones when sessions share a process', async () => {
    const { url } = await open({ maxSessions: 2, makesRoomAfterMs: 1 }, {}, { sessions: 'shared' });
    const [first, second] = [await McpClient.connect(url), await McpClient.connect(url)];
    await eventually(async () => expect((await McpClient.connect(url)).session).to.not.equal(''));
    const statuses = await Promise.all(
      [first, second].map(async (client) => (await client.post(NOTICE)).status),
    );
    expect(statuses).to.deep.equal([404, 202]);
  });

  it('waits for a new process after the last one crashed, without a session error (D01)', async () => {
    const closed = Promise.withResolvers<void>();
    const { url, servers, proxy } = await open({}, { mayEnd: closed.promise }, { sessions: 'shared' });
    await McpClient.connect(url);
    servers.greeted[0]?.exit();
    const next = new McpClient(url).post(initialize());
    await eventually(() => expect(proxy.stats.waiting).to.equal(1));
    closed.resolve();
    expect((await next).status).to.equal(200);
  });
});

function hasCall(sent: readonly { readonly method?: string }[]): boolean {
  return sent.some(({ method }) => method === 'tools/call');
}

describe('bridge with one shared process', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  for (const supported of [['2025-03-26'], undefined]) {
    it(`tries an older revision when the server refuses the newest and names ${supported?.join() ?? 'none'} (openwork PR #3569)`, async () => {
      const offered: unknown[] = [];
      const servers = new ScriptedServers({
        received: (message, server) => {
          if (message.method !== 'initialize') return;
          offered.push(message.params?.protocolVersion);
          if (message.params?.protocolVersion <= '2025-03-26') server.greet(message);
          else {
            const data = supported === undefined ? {} : { data: { supported } };
            server.say({ id: message.id, error: { code: -32602, message: 'Unsupported', ...data } });
          }
        },
      });
      const { url } = await proxies.open(servers.backend({ sessions: 'shared' }), { limits: {} });
      expect((await McpClient.connect(url, { version: '2025-03-26' })).session).to.not.equal('');
      expect(offered).to.deep.equal(
        supported === undefined ? ['2025-11-25', '2025-06-18', '2025-03-26'] : ['2025-11-25', '2025-03-26'],
      );
      expect(servers.all).to.have.length(1);
    });
  }

  it('returns the first error of a server that refuses every revision', async () => {
    const servers = new ScriptedServers({
      received: ({ id, params }, server) =>
        server.say({ id, error: { code: -32602, message: `no ${params?.protocolVersion}` } }),
    });
    const { url } = await proxies.open(servers.backend({ sessions: 'shared' }), { limits: {} });
    const { json } = await new McpClient(url).post(initialize());
    expect(json.error.message).to.equal('no 2025-11-25');
  });
});
