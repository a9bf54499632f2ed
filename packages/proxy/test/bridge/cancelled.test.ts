import type { RequestEnd } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { StdioClientUnderTest } from '../../../../test/support/front-under-test.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type ScriptedServer, ScriptedServers } from '../support/scripted-server.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 't' } } };
const CANCEL = { method: 'notifications/cancelled', params: { requestId: 1 } };
const PROGRESS = 'notifications/progress';

describe('cancelled request (world F5)', () => {
  const proxies = new Proxies();
  let ends: RequestEnd[];
  beforeEach(() => {
    ends = [];
  });
  afterEach(() => proxies.close());

  async function open(
    sessions: 'own' | 'shared',
    options: TestProxyOptions = {},
    mode: 'streamable-http' | 'sse' = 'streamable-http',
  ) {
    const servers = new ScriptedServers();
    const opened = await proxies.open(servers.backend({ sessions, mode }), {
      ...options,
      limits: { cancelledMs: 1, ...options.limits },
      middleware: [
        { name: 'observer', placed: 'observe', instance: { onEnd: (end) => void ends.push(end) } },
        // A filter judges every response, as policies do.
        { name: 'judge', placed: 'filter', instance: { onResponse: () => undefined } },
      ],
    });
    return { ...opened, servers };
  }

  function greeted(servers: ScriptedServers): ScriptedServer {
    const [server] = servers.greeted;
    if (server === undefined) throw new Error('no server was greeted');
    return server;
  }

  /** Returns the number of pending requests, and of finished exchanges that contained the cancelled call. */
  function slotsOf(proxy: { readonly stats: { readonly waiting: number } }): readonly unknown[] {
    const calls = ends.filter(({ messages }) =>
      messages.some((one) => one.kind === 'request' && one.id === '1'),
    );
    return [proxy.stats.waiting, calls.length];
  }

  for (const sessions of ['own', 'shared'] as const) {
    describe(`with ${sessions} processes`, () => {
      it('ends with an empty event stream when the server sends no response, and frees its slot', async () => {
        const { url, servers, proxy } = await open(sessions);
        const client = await McpClient.connect(url);
        const call = client.post(CALL);
        const { id } = await greeted(servers).got('tools/call');
        await client.post(CANCEL);
        const { status, headers, text } = await call;
        expect([status, headers['content-type'], text]).to.deep.equal([200, 'text/event-stream', '']);
        expect(proxy.stats.waiting).to.equal(0);
        await eventually(() => expect(slotsOf(proxy)).to.deep.equal([0, 1]));
        // A late response has no receiver, so the proxy drops it.
        greeted(servers).say({ id, result: {} });
        await eventually(() => expect(proxy.stats).to.have.property('droppedAnswers', 1));
        expect((await client.post(CANCEL)).status).to.equal(202);
      });

      it('ends its event stream without a message, and the client cannot resume it', async () => {
        const { url, servers, proxy } = await open(sessions);
        const client = await McpClient.connect(url, { version: '2025-11-25' });
        const opening = client.stream(CALL);
        const { id } = await greeted(servers).got('tools/call');
        greeted(servers).say({ method: PROGRESS, params: { progressToken: id, progress: 1 } });
        const stream = await opening;
        await stream.got(({ method }) => method === PROGRESS);
        await client.post(CANCEL);
        await stream.over();
        expect(stream.isBroken).to.equal(false);
        expect(stream.messages.map(({ method }) => method)).to.deep.equal([PROGRESS]);
        await eventually(() => expect(slotsOf(proxy)).to.deep.equal([0, 1]));
        const lastEventId = stream.all.at(-1)?.id ?? '';
        const resumed = await send(url, {
          headers: {
            Accept: 'text/event-stream',
            'Mcp-Session-Id': client.session,
            'Last-Event-ID': lastEventId,
          },
        });
        expect([resumed.status, resumed.headers.allow]).to.deep.equal([405, 'POST, DELETE']);
        // The session can still open other streams.
        const standing = await client.listen();
        standing.leave();
      });

      it('gets an error when the client accepts only JSON', async () => {
        const { url, servers, proxy } = await open(sessions);
        const client = await McpClient.connect(url);
        const call = client.post(CALL, { accept: 'application/json' });
        await greeted(servers).got('tools/call');
        await client.post(CANCEL);
        const { status, json } = await call;
        expect([status, json.id, json.error]).to.deep.equal([
          200,
          1,
          { code: -32800, message: 'Request cancelled' },
        ]);
        await eventually(() => expect(slotsOf(proxy)).to.deep.equal([0, 1]));
      });

      it('gets a response that the server sends in time', async () => {
        const { url, servers } = await open(sessions, { limits: { cancelledMs: 60_000 } });
        const client = await McpClient.connect(url);
        const call = client.post(CALL);
        const { id } = await greeted(servers).got('tools/call');
        await client.post(CANCEL);
        await greeted(servers).got('notifications/cancelled');
        greeted(servers).say({ id, result: { is: 'done' } });
        expect((await call).json.result).to.deep.equal({ is: 'done' });
      });

      it('ends at once when its session ends by DELETE', async () => {
        const { url, servers, proxy } = await open(sessions, { limits: { cancelledMs: 60_000 } });
        const client = await McpClient.connect(url);
        const calls = [client.post(CALL), client.post({ ...CALL, id: 2 })];
        const json = client.post({ ...CALL, id: 3 }, { accept: 'application/json' });
        await eventually(() => expect(proxy.stats.waiting).to.equal(3));
        await client.post(CANCEL);
        await greeted(servers).got('notifications/cancelled');
        expect((await client.end()).status).to.equal(204);
        for (const { status, text } of await Promise.all(calls))
          expect([status, text]).to.deep.equal([200, '']);
        expect((await json).json.error.code).to.equal(-32800);
        expect(proxy.stats.waiting).to.equal(0);
      });

      it('fails when the process exits', async () => {
        const { url, servers } = await open(sessions, { limits: { cancelledMs: 60_000 } });
        const client = await McpClient.connect(url);
        const call = client.post(CALL);
        await greeted(servers).got('tools/call');
        await client.post(CANCEL);
        greeted(servers).exit();
        const { status, json } = await call;
        expect([status, json.error.data.reason]).to.deep.equal([502, 'server_exited']);
      });

      it('sends nothing over HTTP+SSE, and frees its slot', async () => {
        const { url, servers, proxy } = await open(sessions, {}, 'sse');
        const stream = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
        const endpoint = await eventually(() => stream.all[0]?.data ?? expect.fail('no endpoint'));
        const post = (message: object) =>
          send(new URL(endpoint, url), {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ jsonrpc: '2.0', ...message }),
          });
        await post(initialize());
        await stream.got(({ id }) => id === 'init');
        await post(CALL);
        await greeted(servers).got('tools/call');
        await post(CANCEL);
        await greeted(servers).got('notifications/cancelled');
        await eventually(() => expect(slotsOf(proxy)).to.deep.equal([0, 1]));
        await post({ id: 2, method: 'tools/list' });
        const { id } = await greeted(servers).got('tools/list');
        greeted(servers).say({ id, result: {} });
        await stream.got((message) => message.id === 2);
        expect(stream.messages.map((message) => message.id)).to.deep.equal(['init', 2]);
        stream.leave();
      });
    });
  }

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`writes nothing to a client of \`proxy stdio\`, which exits without waiting: ${mode}`, async () => {
      const { url, servers, proxy } = await open('own', {}, mode);
      const front = new StdioClientUnderTest({ url, transport: mode, graceMs: 600_000 });
      front.write({ jsonrpc: '2.0', ...initialize() });
      await eventually(() => expect(front.messages).to.have.length(1));
      front.write({ jsonrpc: '2.0', ...CALL });
      await greeted(servers).got('tools/call');
      front.write({ jsonrpc: '2.0', ...CANCEL });
      await greeted(servers).got('notifications/cancelled');
      await eventually(() => expect(slotsOf(proxy)).to.deep.equal([0, 1]));
      await front.end();
      expect(front.messages).to.have.length(1);
      expect(front.told).to.deep.equal([]);
    });
  }

  it('in a batch does not affect the other responses', async () => {
    const { url, servers } = await open('own');
    const client = await McpClient.connect(url, { version: '2025-03-26' });
    const batch = [CALL, { ...CALL, id: 2, params: { name: 'b' } }].map((one) => ({
      jsonrpc: '2.0',
      ...one,
    }));
    const answers = client.post(batch);
    const server = greeted(servers);
    const { id } = await server.got('tools/call', ({ name }) => name === 'b');
    server.say({ id, result: { is: 'b' } });
    await client.post(CANCEL);
    expect((await answers).json).to.deep.equal([{ jsonrpc: '2.0', id: 2, result: { is: 'b' } }]);
  });

  it('for a subscription ends even when other sessions share the subscription', async () => {
    const { url, servers } = await open('shared');
    const clients = [await McpClient.connect(url), await McpClient.connect(url)];
    const [first, second] = clients.map((client) =>
      client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } }),
    );
    const { id } = await greeted(servers).got('resources/subscribe');
    await clients[1]?.post(CANCEL);
    expect((await second)?.text).to.equal('');
    greeted(servers).say({ id, result: {} });
    expect((await first)?.json.result).to.deep.equal({});
  });
});
