import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../support/scripted-server.ts';

async function cannotStart(): Promise<never> {
  throw new Error('not yet');
}

const JSON_BODY = { 'Content-Type': 'application/json' };

describe('bridge over HTTP+SSE', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(
    script: Script = {},
    options: TestProxyOptions = {},
    sessions: 'own' | 'shared' = 'own',
  ) {
    const servers = new ScriptedServers(script);
    const backend = servers.backend({ mode: 'sse', sessions });
    return { ...(await proxies.open(backend, options)), servers };
  }

  async function listen(url: URL, headers: Readonly<Record<string, string>> = {}) {
    const events = new Events(
      await openRequest(url, { headers: { Accept: 'text/event-stream', ...headers } }),
    );
    const endpoint = await eventually(() => {
      const first = events.all[0];
      if (first === undefined) throw new Error('no event');
      return first;
    });
    return { events, endpoint };
  }

  function post(url: URL, endpoint: string, message: object | string) {
    const body = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    return send(new URL(endpoint, url), { method: 'POST', headers: JSON_BODY, body });
  }

  it('sends a relative endpoint first, and responds on the stream', async () => {
    const { url, servers } = await open();
    expect(url.pathname).to.equal('/sse');
    const { events, endpoint } = await listen(url);
    expect(endpoint).to.include({ event: 'endpoint' });
    expect(endpoint.data).to.match(/^\/messages\?session_id=[0-9a-f]{32}$/);
    const answer = await post(url, endpoint.data, initialize());
    expect([answer.status, answer.text]).to.deep.equal([202, 'Accepted']);
    const result = await events.got(({ id }) => id === 'init');
    expect(result.result.protocolVersion).to.equal('2025-06-18');
    await post(url, endpoint.data, { method: 'notifications/initialized' });
    await servers.greeted[0]?.got('notifications/initialized');
    events.leave();
  });

  it('sends an error event with retryAfterSeconds while the server cannot start', async () => {
    const backend = { ...new ScriptedServers().backend({ mode: 'sse' }), openConnection: cannotStart };
    const { url } = await proxies.open(backend, {});
    const { events, endpoint } = await listen(url);
    expect((await post(url, endpoint.data, initialize())).status).to.equal(202);
    const { error } = await events.got(({ id }) => id === 'init');
    expect(error).to.deep.equal({
      code: -32603,
      message: 'The server cannot be started.',
      data: { retryAfterSeconds: 5 },
    });
    events.leave();
  });

  it('delivers no message to another client (C20)', async () => {
    const { url, servers } = await open();
    const clients = [await listen(url), await listen(url)];
    for (const { endpoint, events } of clients) {
      await post(url, endpoint.data, initialize());
      await events.got(({ id }) => id === 'init');
    }
    for (const [at, { endpoint }] of clients.entries()) {
      await post(url, endpoint.data, { id: 1, method: 'tools/call', params: { name: `tool-${at}` } });
      const { id, params } = (await servers.greeted[at]?.got('tools/call')) ?? {};
      servers.greeted[at]?.say({ id, result: params.name });
    }
    for (const [at, { events }] of clients.entries()) {
      await events.got(({ result }) => result === `tool-${at}`);
      expect(events.messages.filter(({ result }) => typeof result === 'string')).to.have.length(1);
      events.leave();
    }
  });

  it('ends the session with its stream, and the process with its session', async () => {
    const { url, servers, proxy } = await open();
    const { events, endpoint } = await listen(url);
    await post(url, endpoint.data, initialize());
    await events.got(({ id }) => id === 'init');
    events.leave();
    await eventually(() => expect(servers.greeted[0]?.isClosed).to.equal(true));
    expect((await post(url, endpoint.data, { id: 1, method: 'ping' })).status).to.equal(404);
    expect(proxy.stats.sessions).to.equal(0);
  });

  it('ends session and stream after the session TTL without a message', async () => {
    const clock = new FakeClock();
    const { url, servers, proxy } = await open({}, { nowMs: clock.nowMs, sessionTtlMs: 50 });
    const { events, endpoint } = await listen(url);
    await post(url, endpoint.data, initialize());
    await events.got(({ id }) => id === 'init');
    clock.advance(50);
    expect((await post(url, endpoint.data, { method: 'notifications/x' })).status).to.equal(202);
    clock.advance(51);
    await events.over();
    await eventually(() => expect(servers.greeted[0]?.isClosed).to.equal(true));
    expect((await post(url, endpoint.data, { id: 1, method: 'ping' })).status).to.equal(404);
    expect(proxy.stats.sessions).to.equal(0);
  });

  it('ends a stream whose client sends no initialize within the session TTL', async () => {
    const clock = new FakeClock();
    const { url } = await open({}, { nowMs: clock.nowMs, sessionTtlMs: 50 });
    const { events } = await listen(url);
    clock.advance(51);
    await events.over();
  });

  it('keeps an idle session and its stream open without a session TTL', async () => {
    const clock = new FakeClock();
    const { url, servers } = await open({}, { nowMs: clock.nowMs });
    const { events, endpoint } = await listen(url);
    await post(url, endpoint.data, initialize());
    await events.got(({ id }) => id === 'init');
    clock.advance(24 * 60 * 60_000);
    expect((await post(url, endpoint.data, { method: 'notifications/x' })).status).to.equal(202);
    expect(servers.greeted[0]?.isClosed).to.equal(false);
    events.leave();
  });

  it('reports pending requests as failed, then ends the stream, when the process exits', async () => {
    const { url, servers } = await open();
    const { events, endpoint } = await listen(url);
    await post(url, endpoint.data, initialize());
    await post(url, endpoint.data, { id: 1, method: 'tools/call', params: { name: 'a' } });
    await servers.greeted[0]?.got('tools/call');
    servers.greeted[0]?.exit();
    await events.over();
    expect(events.messages.at(-1)).to.have.nested.property('error.data.reason', 'server_exited');
  });

  it('refuses messages without a session id, or with an unknown one', async () => {
    const { url, origin } = await open();
    const { events, endpoint } = await listen(url);
    expect((await post(new URL(origin), '/messages', { id: 1, method: 'ping' })).status).to.equal(400);
    const unknown = await post(url, '/messages?session_id=x', { id: 1, method: 'ping' });
    expect([unknown.status, unknown.json.error.code, unknown.json.id]).to.deep.equal([404, -32001, 1]);
    expect((await post(url, endpoint.data, { id: 7, method: 'ping' })).status).to.equal(202);
    expect((await events.got(({ id }) => id === 7)).error.message).to.equal('The request has no session id.');
    events.leave();
  });

  it('refuses newer revisions with the reason that they need streamable HTTP (world F3, F4, F7)', async () => {
    const { url } = await open();
    const { events, endpoint } = await listen(url);
    const answer = await send(new URL(endpoint.data, url), {
      method: 'POST',
      headers: { ...JSON_BODY, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    expect([answer.status, answer.text]).to.deep.equal([202, 'Accepted']);
    const { error } = await events.got(({ id }) => id === 1);
    expect(error.code).to.equal(-32601);
    expect(error.message).to.include('streamable HTTP');
    events.leave();
  });

  for (const sessions of ['own', 'shared'] as const) {
    it(`refuses a second initialize on the same stream, with processes: ${sessions}`, async () => {
      const { url, servers } = await open({}, {}, sessions);
      const { events, endpoint } = await listen(url);
      await post(url, endpoint.data, initialize());
      await events.got(({ id }) => id === 'init');
      const again = { ...initialize('2024-11-05', { sampling: {} }), id: 'again' };
      expect((await post(url, endpoint.data, again)).status).to.equal(202);
      expect((await events.got(({ id }) => id === 'again')).error.code).to.equal(-32600);
      expect(
        servers.greeted.flatMap(({ sent }) => sent.filter(({ method }) => method === 'initialize')),
      ).to.have.length(1);
      events.leave();
    });
  }

  for (const sessions of ['own', 'shared'] as const) {
    it(`accepts initialize again after the server refused it, with processes: ${sessions}`, async () => {
      let times = 0;
      const refuseOnce: Script = {
        received: (message, server) => {
          if (message.method !== 'initialize') return;
          times += 1;
          if (times > 1) server.greet(message);
          else server.say({ id: message.id, error: { code: -32603, message: 'not so' } });
        },
      };
      const { url } = await open(refuseOnce, {}, sessions);
      const { events, endpoint } = await listen(url);
      await post(url, endpoint.data, { ...initialize(), id: 'first' });
      await events.got(({ id, error }) => id === 'first' && error.message === 'not so');
      expect((await post(url, endpoint.data, initialize())).status).to.equal(202);
      await events.got(({ id, result }) => id === 'init' && result !== undefined);
      events.leave();
    });
  }

  it('refuses batches', async () => {
    const { url } = await open();
    const { events, endpoint } = await listen(url);
    expect((await post(url, endpoint.data, '[]')).status).to.equal(400);
    events.leave();
  });

  const prefixes = [
    {
      title: 'the configured prefix',
      options: { endpointPrefix: '/a/b/' },
      headers: {},
      expected: '/a/b/messages',
    },
    {
      title: 'the prefix of a trusted proxy, without the endpoint',
      options: { trustProxyHeaders: true },
      headers: { 'X-Forwarded-Prefix': '/p/sse' },
      expected: '/p/messages',
    },
    {
      title: 'the configured prefix rather than that of a trusted proxy',
      options: { trustProxyHeaders: true, endpointPrefix: 'mine' },
      headers: { 'X-Forwarded-Prefix': '/p' },
      expected: '/mine/messages',
    },
    {
      title: 'no prefix of an untrusted peer',
      options: {},
      headers: { 'X-Forwarded-Prefix': '/p' },
      expected: '/messages',
    },
    {
      title: 'no prefix that leads to another host',
      options: { trustProxyHeaders: true },
      headers: { 'X-Forwarded-Prefix': '//evil.example/' },
      expected: '/evil.example/messages',
    },
  ];
  for (const { title, options, headers, expected } of prefixes) {
    it(`announces the endpoint with ${title}`, async () => {
      const { url } = await open({}, options);
      const { events, endpoint } = await listen(url, headers);
      expect(endpoint.data.split('?')[0]).to.equal(expected);
      events.leave();
    });
  }

  it('refuses other methods than GET for the stream and POST for messages', async () => {
    const { origin } = await open();
    const wrong = [
      await send(`${origin}/sse`, { method: 'POST', headers: JSON_BODY, body: '{}' }),
      await send(`${origin}/messages`),
      await send(`${origin}/mcp`),
    ];
    expect(wrong.map(({ status, headers }) => [status, headers.allow])).to.deep.equal([
      [405, 'GET'],
      [405, 'POST'],
      [404, undefined],
    ]);
  });
});
