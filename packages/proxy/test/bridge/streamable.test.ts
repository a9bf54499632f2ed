import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { begin, send } from '../support/http-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { TestRestarts } from '../support/test-restarts.ts';
import {
  type Script,
  type ScriptedServer,
  ScriptedServers,
  type SentMessage,
  type Served,
} from '../support/scripted-server.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'a' } };

describe('bridge over streamable HTTP', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(script: Script = {}, options: TestProxyOptions = {}, served: Served = {}) {
    const servers = new ScriptedServers(script);
    return { ...(await proxies.open(servers.backend(served), options)), servers };
  }

  function serverOf(servers: ScriptedServers, index = 0): ScriptedServer {
    const server = servers.greeted[index];
    if (server === undefined) throw new TypeError('no server was greeted');
    return server;
  }

  describe('sessions', () => {
    it('start with initialize, for any session id in the request', async () => {
      const { url, proxy } = await open();
      const answer = await new McpClient(url, 'mine').post(initialize());
      expect(answer.status).to.equal(200);
      expect(answer.headers['mcp-session-id']).to.match(/^[0-9a-f]{32}$/);
      expect(answer.json).to.have.nested.property('result.protocolVersion', '2025-06-18');
      expect(answer.json.id).to.equal('init');
      expect(proxy.stats.sessions).to.equal(1);
    });

    it('do not start when the server refuses initialize, and the process ends', async () => {
      const { url, proxy, servers } = await open({
        received: ({ id }, server) => server.say({ id, error: { code: -32602, message: 'no' } }),
      });
      const answer = await new McpClient(url).post(initialize());
      expect([answer.status, answer.json.error.message]).to.deep.equal([200, 'no']);
      expect(answer.headers).to.not.have.property('mcp-session-id');
      await eventually(() => expect(servers.greeted[0]?.isClosed).to.equal(true));
      expect(proxy.stats.sessions).to.equal(0);
    });

    it('are required for all other requests', async () => {
      const { url } = await open();
      const missing = await new McpClient(url).post(CALL);
      expect([missing.status, missing.json]).to.deep.equal([
        400,
        { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'The request has no session id.' } },
      ]);
      const unknown = await new McpClient(url, 'mine').post({ ...CALL, id: 'x' });
      expect([unknown.status, unknown.json.id, unknown.json.error.code]).to.deep.equal([404, 'x', -32001]);
      expect((await new McpClient(url, 'mine').end()).status).to.equal(404);
    });

    it('end with DELETE, which also ends the process', async () => {
      const { url, proxy, servers } = await open();
      const client = await McpClient.connect(url);
      expect((await client.end()).status).to.equal(204);
      await eventually(() => expect(serverOf(servers).isClosed).to.equal(true));
      expect((await client.post(CALL)).status).to.equal(404);
      expect(proxy.stats.sessions).to.equal(0);
    });

    it('end after the session TTL without use (C21)', async () => {
      const clock = new FakeClock();
      const { url, servers } = await open({}, { nowMs: clock.nowMs, sessionTtlMs: 50 });
      const client = await McpClient.connect(url);
      clock.advance(51);
      await eventually(() => expect(serverOf(servers).isClosed).to.equal(true));
      expect((await client.post(CALL)).json.error.code).to.equal(-32001);
    });

    it('survive a wall clock that jumps by six hours', async () => {
      const clock = new FakeClock();
      const { url, servers } = await open({}, { clock: clock.clock });
      const client = await McpClient.connect(url);
      clock.advance(6 * 60 * 60_000);
      expect((await client.post({ method: 'notifications/x' })).status).to.equal(202);
      expect(serverOf(servers).isClosed).to.equal(false);
    });

    it('are checked at least every hour when the session TTL is very long', async () => {
      const warnings: Error[] = [];
      const note = (warning: Error): void => void warnings.push(warning);
      process.on('warning', note);
      const { url } = await open({}, { sessionTtlMs: 365 * 24 * 60 * 60_000 });
      await McpClient.connect(url);
      process.off('warning', note);
      expect(warnings).to.deep.equal([]);
    });

    it('stay open while a stream is open and no session TTL is set', async () => {
      const clock = new FakeClock();
      const { url, servers } = await open({}, { nowMs: clock.nowMs });
      const client = await McpClient.connect(url);
      const stream = await client.listen();
      clock.advance(24 * 60 * 60_000);
      expect((await client.post({ method: 'notifications/x' })).status).to.equal(202);
      serverOf(servers).say({ method: 'notifications/x' });
      await stream.got(({ method }) => method === 'notifications/x');
      expect(serverOf(servers).isClosed).to.equal(false);
      stream.leave();
    });

    for (const sessions of ['own', 'shared'] as const) {
      it(`end with their streams after the session TTL without a message: ${sessions}`, async () => {
        const clock = new FakeClock();
        const { url, proxy } = await open({}, { nowMs: clock.nowMs, sessionTtlMs: 50 }, { sessions });
        const client = await McpClient.connect(url);
        const stream = await client.listen();
        clock.advance(50);
        expect((await client.post({ method: 'notifications/x' })).status).to.equal(202);
        clock.advance(40);
        const second = await client.listen();
        await stream.over();
        clock.advance(11);
        await second.over();
        await eventually(() => expect(proxy.stats.sessions).to.equal(0));
        expect((await client.post(CALL)).status).to.equal(404);
      });
    }

    it('stay open after the session TTL while a request is pending', async () => {
      const clock = new FakeClock();
      const { url, servers } = await open({}, { nowMs: clock.nowMs, sessionTtlMs: 50 });
      const client = await McpClient.connect(url);
      const calling = client.post(CALL);
      await serverOf(servers).got('tools/call');
      clock.advance(1000);
      serverOf(servers).say({ id: serverOf(servers).sent.at(-1)?.id, result: {} });
      expect((await calling).status).to.equal(200);
      clock.advance(50);
      expect((await client.post({ method: 'notifications/x' })).status).to.equal(202);
    });

    it('have their own process with the capabilities of their own client (C03)', async () => {
      const { url, servers } = await open();
      await McpClient.connect(url, { capabilities: { sampling: {} } });
      await McpClient.connect(url, { capabilities: { roots: {} } });
      const seen = servers.greeted.map(({ sent }) => sent[0]?.params.capabilities);
      expect(seen).to.deep.equal([{ sampling: {} }, { roots: {} }]);
    });

    it('use the spare process, so that no client waits for a start', async () => {
      const { url, servers, proxy } = await open();
      await eventually(() => expect(proxy.stats.processes).to.equal(1));
      await McpClient.connect(url);
      expect(serverOf(servers)).to.equal(servers.all[0]);
      await eventually(() => expect(proxy.stats.processes).to.equal(2));
    });

    it('are ended for new ones at the limit when they have been idle long enough', async () => {
      const clock = new FakeClock();
      const { url, servers } = await open(
        {},
        { nowMs: clock.nowMs, limits: { maxProcesses: 2, makesRoomAfterMs: 60_000 } },
      );
      const [oldest, other] = [await McpClient.connect(url), await McpClient.connect(url)];
      clock.advance(30_000);
      await other.post({ method: 'notifications/x' });
      clock.advance(30_000);
      const third = await McpClient.connect(url);
      expect(third.session).to.not.equal('');
      expect((await oldest.post(CALL)).status).to.equal(404);
      expect((await other.post({ method: 'notifications/x' })).status).to.equal(202);
      expect(serverOf(servers).isClosed).to.equal(true);
    });
  });

  describe('requests', () => {
    it('with the same id from many clients each get their own response (C01)', async () => {
      const { url, servers } = await open({}, {}, { sessions: 'shared' });
      const clients = await Promise.all(Array.from({ length: 8 }, () => McpClient.connect(url)));
      for (let round = 0; round < 20; round += 1) {
        const answers = clients.map((client, at) =>
          client.post({ id: 1, method: 'tools/call', params: { name: 'a', arguments: { at, round } } }),
        );
        const server = serverOf(servers);
        const mine = () => server.sent.filter(({ params }) => params?.arguments?.round === round);
        await eventually(() => expect(mine()).to.have.length(8));
        for (const { id, params } of mine().toReversed()) server.say({ id, result: params.arguments.at });
        const results = (await Promise.all(answers)).map(({ json }) => [json.id, json.result]);
        expect(results).to.deep.equal(clients.map((_client, at) => [1, at]));
      }
    });

    const ids = ['9007199254740993', '1', '"1"', '""', `"${'x'.repeat(1024)}"`];
    it('get their ids back with the same type and spelling (B19)', async () => {
      const { url } = await open({
        received: (message, server) => {
          if (message.method === 'initialize') server.greet(message);
          else if (message.id !== undefined) server.say({ id: message.id, result: {} });
        },
      });
      const client = await McpClient.connect(url);
      for (const id of ids) {
        const answer = await client.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
        expect(answer.text).to.equal(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
      }
    });

    it('reach the server on one line, otherwise unchanged (D10)', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const text =
        '{\n  "jsonrpc": "2.0",\r\n  "method": "notifications/x",\n "params": {"n": 1.0, "a": "b\\n"}\n}';
      await client.post(text);
      const got = await serverOf(servers).got('notifications/x');
      expect(got.text).to.equal(text.replaceAll(/[\r\n]/g, ' '));
    });

    it('get an event stream when the client accepts nothing else', async () => {
      const { url, servers } = await open();
      const answer = await new McpClient(url).stream(initialize(), { accept: 'text/event-stream' });
      await answer.over();
      expect(answer.response.headers).to.include({ 'content-type': 'text/event-stream' });
      expect(answer.response.headers['mcp-session-id']).to.be.a('string');
      expect(answer.messages[0].result.protocolVersion).to.equal('2025-06-18');
      expect(serverOf(servers).sent).to.have.length(1);
    });

    it('are refused when the client accepts neither JSON nor event streams', async () => {
      const { url } = await open();
      const client = await McpClient.connect(url);
      expect((await client.post(CALL, { accept: 'text/html' })).status).to.equal(406);
      expect((await send(url, { headers: client.headers({ accept: 'application/json' }) })).status).to.equal(
        406,
      );
    });

    it('get an event stream when a message precedes the response', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const opening = client.stream({
        ...CALL,
        params: { name: 'a', _meta: { progressToken: 'tok' } },
      });
      const server = serverOf(servers);
      const { id } = await server.got('tools/call');
      server.say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      const stream = await opening;
      server.say({ id, result: { done: true } });
      await stream.over();
      expect(stream.response.headers).to.include({
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      expect(stream.all.map(({ event }) => event)).to.deep.equal(['message', 'message']);
      expect(stream.messages[0].params.progressToken).to.equal('tok');
      expect(stream.messages[1]).to.deep.equal({ jsonrpc: '2.0', id: 1, result: { done: true } });
    });

    it('get an event stream with comments while the server is silent (neotoma 1503)', async () => {
      const { url, servers } = await open({}, { limits: { silenceMs: 20, commentMs: 20 } });
      const client = await McpClient.connect(url);
      const stream = await client.stream(CALL);
      await eventually(() => expect(stream.comments.length).to.be.greaterThan(1));
      const { id } = await serverOf(servers).got('tools/call');
      serverOf(servers).say({ id, result: {} });
      await stream.over();
      expect(stream.messages).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: {} }]);
    });

    it('keep status 200 when the server responds with an error', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const answer = client.post(CALL);
      const { id } = await serverOf(servers).got('tools/call');
      serverOf(servers).say({ id, error: { code: -32601, message: 'none' } });
      expect((await answer).status).to.equal(200);
    });

    it('are cancelled only in their own session, under the id on the server side (C09)', async () => {
      const { url, servers } = await open();
      const [anna, bela] = [await McpClient.connect(url), await McpClient.connect(url)];
      const [first, second] = [anna.post(CALL), bela.post(CALL)];
      await Promise.all([serverOf(servers, 0).got('tools/call'), serverOf(servers, 1).got('tools/call')]);
      await bela.post({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
      await bela.post({ method: 'notifications/cancelled', params: { requestId: '1' } });
      const cancelled = await serverOf(servers, 1).got('notifications/cancelled');
      const call = await serverOf(servers, 1).got('tools/call');
      expect(cancelled.params).to.deep.equal({ requestId: call.id, reason: 'enough' });
      for (const [at, answer] of [first, second].entries()) {
        const server = serverOf(servers, at);
        server.say({ id: (await server.got('tools/call')).id, result: { at } });
        expect((await answer).json.result).to.deep.equal({ at });
      }
      expect(serverOf(servers, 0).sent.some(({ method }) => method === 'notifications/cancelled')).to.equal(
        false,
      );
      expect(
        serverOf(servers, 1).sent.filter(({ method }) => method === 'notifications/cancelled'),
      ).to.have.length(1);
    });

    it('are refused when the header names an unknown revision', async () => {
      const { url } = await open();
      const client = await McpClient.connect(url);
      const answer = await client.post(CALL, { headers: { 'MCP-Protocol-Version': '2024-01-01' } });
      expect([answer.status, answer.json.id]).to.deep.equal([400, 1]);
      const known = await client.post(
        { method: 'notifications/x' },
        { headers: { 'MCP-Protocol-Version': '2025-11-25' } },
      );
      expect(known.status).to.equal(202);
    });

    it('of a client without a handshake get an error that makes clients of both eras use initialize', async () => {
      const { url, proxy } = await open({}, { limits: { probeMs: 20 } });
      await McpClient.connect(url);
      const answer = await new McpClient(url).post(
        {
          id: 5,
          method: 'tools/list',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
        { headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' } },
      );
      expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([400, 5, -32600]);
      expect(answer.json.error.message).to.include('2025-11-25');
      expect(proxy.stats.sessions).to.equal(1);
      const get = await send(url, { headers: { 'MCP-Protocol-Version': '2026-07-28' } });
      expect([get.status, get.headers.allow]).to.deep.equal([405, 'POST']);
    });
  });

  describe('messages of the server', () => {
    it('reach exactly one stream (C14)', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const standing = await client.listen();
      const opening = client.stream({ ...CALL, params: { name: 'a', _meta: { progressToken: 1 } } });
      const server = serverOf(servers);
      const { id } = await server.got('tools/call');
      server.say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      const called = await opening;
      await called.got(({ method }) => method === 'notifications/progress');
      server.say({ method: 'notifications/message', params: { data: 'once' } });
      await called.got(({ method }) => method === 'notifications/message');
      server.say({ id, result: {} });
      await called.over();
      server.say({ method: 'notifications/message', params: { data: 'later' } });
      await standing.got(({ params }) => params?.data === 'later');
      expect(standing.messages.map(({ params }) => params.data)).to.deep.equal(['later']);
      standing.leave();
    });

    it('are queued until a stream opens, list changes once for each kind (C13)', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const server = serverOf(servers);
      for (let time = 0; time < 5; time += 1) server.say({ method: 'notifications/tools/list_changed' });
      server.say({ method: 'notifications/prompts/list_changed' });
      server.say({ method: 'notifications/message', params: { data: 'last' } });
      // Messages arrive in order: once this response is here, the proxy has read the notifications above.
      const answer = client.post({ id: 1, method: 'ping' }, { accept: 'application/json' });
      server.say({ id: (await server.got('ping')).id, result: {} });
      await answer;
      const stream = await client.listen();
      await stream.got(({ params }) => params?.data === 'last');
      expect(stream.messages.map(({ method }) => method)).to.deep.equal([
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/message',
      ]);
      stream.leave();
    });

    it('stay queued when a stream closes before they are sent', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const server = serverOf(servers);
      server.say({ method: 'notifications/tools/list_changed' });
      const params = { name: 'x', _meta: { progressToken: 1 } };
      const call = client.stream({ id: 1, method: 'tools/call', params });
      const { id } = await server.got('tools/call');
      server.say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      server.say({ id, result: {} });
      const events = await call;
      await events.over();
      const stream = await client.listen();
      await stream.got(({ method }) => method === 'notifications/tools/list_changed');
      expect(events.messages.map(({ method }) => method)).to.deep.equal([
        'notifications/progress',
        undefined,
      ]);
      stream.leave();
    });

    it('are dropped when the client reads too slowly, except list changes', async () => {
      // With -1, every open stream counts as having too much unread data.
      const { url, servers, proxy } = await open({}, { limits: { unreadBytes: -1 } });
      const client = await McpClient.connect(url);
      const server = serverOf(servers);
      const first = await client.listen();
      for (const data of [1, 2, 3]) server.say({ method: 'notifications/message', params: { data } });
      server.say({ method: 'notifications/tools/list_changed' });
      await eventually(() => expect(proxy.stats.droppedNotifications).to.equal(4));
      const second = await client.listen();
      const answer = client.post({ id: 1, method: 'ping' }, { accept: 'application/json' });
      server.say({ id: (await server.got('ping')).id, result: {} });
      await answer;
      // The proxy tried to deliver the list change again.
      expect(proxy.stats.droppedNotifications).to.equal(5);
      first.leave();
      second.leave();
    });

    it('reach only their own session (C12)', async () => {
      const { url, servers } = await open();
      const [anna, bela] = [await McpClient.connect(url), await McpClient.connect(url)];
      const [forAnna, forBela] = [await anna.listen(), await bela.listen()];
      serverOf(servers, 0).say({ method: 'notifications/message', params: { data: 'a' } });
      serverOf(servers, 1).say({ method: 'notifications/message', params: { data: 'b' } });
      await forAnna.got(() => true);
      await forBela.got(() => true);
      expect(
        [forAnna, forBela].map(({ messages }) => messages.map(({ params }) => params.data)),
      ).to.deep.equal([['a'], ['b']]);
      forAnna.leave();
      forBela.leave();
    });

    it('are sent to the newer of two open GET streams', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url);
      const [first, second] = [await client.listen(), await client.listen()];
      await first.over();
      serverOf(servers).say({ method: 'notifications/x' });
      await second.got(({ method }) => method === 'notifications/x');
      second.leave();
    });

    it('that are requests reach the client, and its response the server, with the original ids (C10)', async () => {
      const { url, servers, proxy } = await open();
      const client = await McpClient.connect(url, { capabilities: { elicitation: {} } });
      const other = await McpClient.connect(url, { capabilities: { elicitation: {} } });
      const stream = await client.listen();
      const server = serverOf(servers);
      server.say({ id: 7, method: 'elicitation/create', params: { message: '?' } });
      const asked = await stream.got(({ method }) => method === 'elicitation/create');
      expect(asked.id).to.not.equal(7);
      const answer = { id: asked.id, result: { action: 'accept' } };
      expect((await other.post(answer)).status).to.equal(202);
      expect((await client.post({ id: 7, result: {} })).status).to.equal(202);
      expect((await client.post(answer)).status).to.equal(202);
      await eventually(() => expect(server.sent.at(-1)?.result).to.deep.equal({ action: 'accept' }));
      expect(server.sent.filter(({ id }) => id === 7)).to.have.length(1);
      expect(server.sent.at(-1)?.id).to.equal(7);
      expect(proxy.stats.droppedClientAnswers).to.equal(2);
      stream.leave();
    });

    it('that are requests are refused at once when the client did not declare the capability', async () => {
      const { url, servers, proxy } = await open();
      await McpClient.connect(url, { capabilities: { roots: {} } });
      const server = serverOf(servers);
      server.say({ id: 7, method: 'sampling/createMessage', params: {} });
      await eventually(() => expect(server.sent.at(-1)?.error.code).to.equal(-32601));
      expect([server.sent.at(-1)?.id, proxy.stats.refusedServerRequests]).to.deep.equal([7, 1]);
    });

    it('that are requests are refused after a timeout when the client has no stream', async () => {
      const { url, servers } = await open({}, { limits: { deliverMs: 20 } });
      await McpClient.connect(url, { capabilities: { roots: {} } });
      const server = serverOf(servers);
      server.say({ id: 7, method: 'roots/list' });
      await eventually(() => expect(server.sent.at(-1)?.error?.code).to.equal(-32603));
    });

    it('that are requests for a call are cancelled when the call is cancelled', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url, { capabilities: { sampling: {} } });
      const opening = client.stream(CALL);
      const server = serverOf(servers);
      const { id } = await server.got('tools/call');
      server.say({ id: 7, method: 'sampling/createMessage', params: {} });
      const stream = await opening;
      const asked = await stream.got(({ method }) => method === 'sampling/createMessage');
      await client.post({ method: 'notifications/cancelled', params: { requestId: 1 } });
      const taken = await stream.got(({ method }) => method === 'notifications/cancelled');
      expect(taken.params.requestId).to.equal(asked.id);
      await server.got('notifications/cancelled', (params) => params.requestId === id);
      expect(server.sent.find((message) => message.id === 7)?.error.code).to.equal(-32603);
      server.say({ id, result: {} });
      await stream.over();
    });

    it('that cancel a request contain the id that the client uses', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url, { capabilities: { roots: {} } });
      const stream = await client.listen();
      serverOf(servers).say({ id: 7, method: 'roots/list' });
      const asked = await stream.got(({ method }) => method === 'roots/list');
      serverOf(servers).say({ method: 'notifications/cancelled', params: { requestId: 7 } });
      const taken = await stream.got(({ method }) => method === 'notifications/cancelled');
      expect(taken.params.requestId).to.equal(asked.id);
      stream.leave();
    });
  });

  describe('interrupted event stream', () => {
    it('is resumed at the same event, and the response arrives once (D09)', async () => {
      const { url, servers } = await open();
      const client = await McpClient.connect(url, { version: '2025-11-25' });
      const opening = client.stream({ ...CALL, params: { name: 'a', _meta: { progressToken: 1 } } });
      const server = serverOf(servers);
      const { id } = await server.got('tools/call');
      const progress = (step: number): void =>
        server.say({ method: 'notifications/progress', params: { progressToken: id, progress: step } });
      progress(1);
      const broken = await opening;
      await broken.got(({ params }) => params?.progress === 1);
      const first = broken.all.find(({ data }) => data === '');
      const lastId = broken.all.at(-1)?.id ?? '';
      expect(first?.id).to.match(/-0$/);
      broken.leave();
      await eventually(async () => {
        progress(2);
        const again = await client.listen({ 'Last-Event-ID': lastId });
        await again.got(({ params }) => params?.progress === 2);
        server.say({ id, result: { done: 1 } });
        await again.over();
        expect(again.messages.filter(({ params }) => params?.progress === 1)).to.deep.equal([]);
        expect(again.messages.at(-1)).to.deep.equal({ jsonrpc: '2.0', id: 1, result: { done: 1 } });
      });
    });

    it('buffers the response for a client that resumes later (D09)', async () => {
      const { url, servers } = await open({}, { limits: { silenceMs: 5 } });
      const client = await McpClient.connect(url, { version: '2025-11-25' });
      const broken = await client.stream(CALL);
      await eventually(() => expect(broken.all).to.have.length(1));
      broken.leave();
      const { id } = await serverOf(servers).got('tools/call');
      serverOf(servers).say({ id, result: { kept: true } });
      const again = await client.listen({ 'Last-Event-ID': broken.all[0]?.id ?? '' });
      await again.over();
      expect(again.messages).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: { kept: true } }]);
    });
  });

  describe('batches', () => {
    const echo: Script = {
      received: (message, server) => {
        if (message.method === 'initialize') server.greet(message);
        else if (message.id !== undefined) server.say({ id: message.id, result: message.method });
      },
    };

    it('of 2025-03-26 are split, and their responses joined', async () => {
      const { url, servers } = await open(echo);
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const answer = await client.post([
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { jsonrpc: '2.0', method: 'notifications/x' },
        { jsonrpc: '2.0', id: '1', method: 'ping' },
      ]);
      expect(answer.status).to.equal(200);
      expect(answer.json).to.have.deep.members([
        { jsonrpc: '2.0', id: 1, result: 'tools/list' },
        { jsonrpc: '2.0', id: '1', result: 'ping' },
      ]);
      expect(serverOf(servers).sent.every(({ text }) => !text.startsWith('['))).to.equal(true);
    });

    it('without requests get 202', async () => {
      const { url } = await open(echo);
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const answer = await client.post([{ jsonrpc: '2.0', method: 'notifications/x' }]);
      expect([answer.status, answer.text]).to.deep.equal([202, '']);
    });

    it('get an event stream with one event for each response when the client accepts nothing else', async () => {
      const { url } = await open(echo);
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const body = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
      const stream = await client.stream(body, { accept: 'text/event-stream' });
      await stream.over();
      expect(stream.messages.map(({ id }) => id)).to.have.members([1, 2]);
    });

    it('with initialize are refused', async () => {
      const { url, servers } = await open(echo);
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const envelope = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const alone = [
        initialize(),
        { id: 2, method: 'ping', params: { _meta: envelope } },
        { id: 2, method: 'ping', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': 1 } } },
        { method: 'notifications/x', params: { _meta: envelope } },
      ];
      for (const message of alone) {
        const answer = await client.post([
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { jsonrpc: '2.0', ...message },
        ]);
        expect([answer.status, answer.json.error.code]).to.deep.equal([400, -32600]);
      }
      expect(serverOf(servers).sent.some(({ method }) => method === 'ping')).to.equal(false);
    });

    it('of other revisions are refused', async () => {
      const { url, servers } = await open(echo);
      const client = await McpClient.connect(url, { version: '2025-11-25' });
      for (const body of ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '\v[', '[{"jsonrpc"']) {
        const answer = await client.post(body);
        expect([answer.status, answer.json.error.code]).to.deep.equal([400, -32600]);
        expect(answer.json).to.not.have.property('id');
      }
      expect(serverOf(servers).sent.some(({ method }) => method === 'ping')).to.equal(false);
    });
  });

  describe('shared process', () => {
    const shared: Served = { sessions: 'shared' };

    it('gets initialize once, without capabilities, and each client gets the response under its own id (C04)', async () => {
      const { url, servers } = await open({}, {}, shared);
      const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2024-01-01'];
      const answers = await Promise.all(
        versions.map((version, id) =>
          new McpClient(url).post({ ...initialize(version, { sampling: {} }), id }),
        ),
      );
      expect(answers.map(({ json }) => [json.id, json.result.protocolVersion])).to.deep.equal([
        [0, '2024-11-05'],
        [1, '2025-03-26'],
        [2, '2025-06-18'],
        [3, '2025-11-25'],
        [4, '2025-11-25'],
      ]);
      const { sent } = serverOf(servers);
      await serverOf(servers).got('notifications/initialized');
      expect(sent.map(({ method }) => method)).to.deep.equal(['initialize', 'notifications/initialized']);
      expect(sent[0]?.params.capabilities).to.deep.equal({});
      expect(new Set(answers.map(({ headers }) => headers['mcp-session-id'])).size).to.equal(5);
    });

    it('gets initialize again after it refused the first one (C05)', async () => {
      let times = 0;
      const { url } = await open(
        {
          received: (message, server) => {
            if (message.method !== 'initialize') return;
            times += 1;
            if (times > 1) server.greet(message);
            else server.say({ id: message.id, error: { code: -32603, message: 'not yet' } });
          },
        },
        {},
        shared,
      );
      expect((await new McpClient(url).post(initialize())).json.error.message).to.equal('not yet');
      expect((await McpClient.connect(url)).session).to.not.equal('');
    });

    it('completes initialize for waiting clients although the first client disconnected (C06)', async () => {
      const greetings: SentMessage[] = [];
      const { url, servers, proxy } = await open(
        { received: (message) => void (message.method === 'initialize' && greetings.push(message)) },
        {},
        shared,
      );
      // Other test files in this process may keep connections open.
      const sockets = (): number =>
        process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
      const others = sockets();
      const first = begin(url, { headers: new McpClient(url).headers() });
      first.end(JSON.stringify({ jsonrpc: '2.0', ...initialize() }));
      await eventually(() => expect(greetings).to.have.length(1));
      const second = new McpClient(url).post(initialize());
      await eventually(() => expect(sockets()).to.equal(others + 4));
      first.destroy();
      // The proxy side must also have closed the connection.
      await eventually(() => expect(sockets()).to.equal(others + 2));
      const [greeting] = greetings;
      if (greeting !== undefined) serverOf(servers).greet(greeting);
      const answer = await second;
      expect([answer.status, answer.json.result.protocolVersion]).to.deep.equal([200, '2025-06-18']);
      expect([servers.greeted.length, greetings.length]).to.deep.equal([1, 1]);
      expect(proxy.stats.sessions).to.equal(1);
    });

    it('sends list changes to all sessions, and log messages to none (C12)', async () => {
      const { url, servers, proxy } = await open({}, {}, shared);
      const clients = [await McpClient.connect(url), await McpClient.connect(url)];
      const streams = await Promise.all(clients.map((client) => client.listen()));
      serverOf(servers).say({ method: 'notifications/message', params: { data: 'whose?' } });
      serverOf(servers).say({ method: 'notifications/tools/list_changed' });
      await Promise.all(streams.map((stream) => stream.got(({ method }) => method.endsWith('list_changed'))));
      expect(streams.map(({ messages }) => messages.length)).to.deep.equal([1, 1]);
      expect(proxy.stats.droppedNotifications).to.equal(1);
      for (const stream of streams) stream.leave();
    });

    it('sends the status of a task only to the session that created it', async () => {
      const { url, servers } = await open({}, {}, shared);
      const [owner, other] = [await McpClient.connect(url), await McpClient.connect(url)];
      const streams = [await owner.listen(), await other.listen()];
      const beginning = owner.post({ ...CALL, params: { name: 'a', task: { ttl: 1000 } } });
      const { id } = await serverOf(servers).got('tools/call');
      serverOf(servers).say({ id, result: { task: { taskId: 't1', status: 'working' } } });
      await beginning;
      const tell = (taskId: string): void =>
        serverOf(servers).say({
          method: 'notifications/tasks/status',
          params: { taskId, status: 'completed' },
        });
      tell('of nobody');
      tell('t1');
      serverOf(servers).say({ method: 'notifications/tools/list_changed' });
      await Promise.all(streams.map((stream) => stream.got(({ method }) => method.endsWith('list_changed'))));
      const told = streams.map(({ messages }) => messages.flatMap(({ params }) => params?.taskId ?? []));
      expect(told).to.deep.equal([['t1'], []]);
      for (const stream of streams) stream.leave();
    });

    it('gets a response of the proxy to its own requests (C11)', async () => {
      const { url, servers } = await open({}, {}, shared);
      const client = await McpClient.connect(url, { capabilities: { sampling: {} } });
      const stream = await client.listen();
      const server = serverOf(servers);
      server.say({ id: 7, method: 'sampling/createMessage', params: {} });
      server.say({ id: 8, method: 'ping' });
      await eventually(() => expect(server.sent.find(({ id }) => id === 8)?.result).to.deep.equal({}));
      expect(server.sent.find(({ id }) => id === 7)?.error.code).to.equal(-32601);
      expect(stream.messages).to.deep.equal([]);
      stream.leave();
    });

    it('gets only the first subscription to a resource and the last cancellation (C15)', async () => {
      const { url, servers } = await open(
        {
          received: (message, server) => {
            if (message.method === 'initialize') server.greet(message);
            else if (message.id !== undefined) server.say({ id: message.id, result: {} });
          },
        },
        {},
        shared,
      );
      const [anna, bela, other] = [
        await McpClient.connect(url),
        await McpClient.connect(url),
        await McpClient.connect(url),
      ];
      const change = (client: McpClient, method: string) =>
        client.post({ id: 1, method: `resources/${method}`, params: { uri: 'x:1' } });
      await change(anna, 'subscribe');
      await change(bela, 'subscribe');
      const streams = await Promise.all([anna, bela, other].map((client) => client.listen()));
      const server = serverOf(servers);
      server.say({ method: 'notifications/resources/updated', params: { uri: 'x:1' } });
      server.say({ method: 'notifications/tools/list_changed' });
      await Promise.all(streams.map((stream) => stream.got(({ method }) => method.endsWith('list_changed'))));
      expect(streams.map(({ messages }) => messages.length)).to.deep.equal([2, 2, 1]);
      await change(anna, 'unsubscribe');
      expect(server.sent.some(({ method }) => method === 'resources/unsubscribe')).to.equal(false);
      for (const stream of streams) stream.leave();
      await bela.end();
      await server.got('resources/unsubscribe', (params) => params.uri === 'x:1');
      expect(server.sent.filter(({ method }) => method === 'resources/subscribe')).to.have.length(1);
    });

    it('gets a cancellation of the subscription when the session ends while it subscribes', async () => {
      const { url, servers } = await open({}, {}, shared);
      const client = await McpClient.connect(url);
      const subscribed = client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } });
      const { id } = await serverOf(servers).got('resources/subscribe');
      await client.end();
      serverOf(servers).say({ id, result: {} });
      await serverOf(servers).got('resources/unsubscribe', (params) => params.uri === 'x:1');
      await subscribed;
    });

    it('gets a cancellation when the session of a pending call ends', async () => {
      const { url, servers } = await open({}, {}, shared);
      const client = await McpClient.connect(url);
      const call = client.post(CALL);
      const { id } = await serverOf(servers).got('tools/call');
      await client.end();
      await serverOf(servers).got('notifications/cancelled', ({ requestId }) => requestId === id);
      const { status, headers, text } = await call;
      expect([status, headers['content-type'], text]).to.deep.equal([200, 'text/event-stream', '']);
    });

    it('may write batches under revision 2025-03-26', async () => {
      const { url, servers } = await open({ protocolVersion: '2025-03-26' }, {}, shared);
      const client = await McpClient.connect(url);
      const call = client.post(CALL);
      const { id } = await serverOf(servers).got('tools/call');
      serverOf(servers).write(JSON.stringify([{ jsonrpc: '2.0', id, result: { is: 'there' } }]));
      expect((await call).json.result).to.deep.equal({ is: 'there' });
    });

    it('gets the cancellation of the right call when two calls have the same id', async () => {
      const { url, servers } = await open({}, {}, shared);
      const client = await McpClient.connect(url);
      const server = serverOf(servers);
      const calls = [client.post(CALL), client.post(CALL)];
      const [first, second] = await eventually(() => {
        const got = server.sent.filter(({ method }) => method === 'tools/call');
        if (got.length < 2) throw new Error('not both have come');
        return got;
      });
      server.say({ id: first?.id, result: {} });
      await Promise.any(calls);
      await client.post({ method: 'notifications/cancelled', params: { requestId: 1 } });
      await server.got('notifications/cancelled', ({ requestId }) => requestId === second?.id);
      server.say({ id: second?.id, result: {} });
      await Promise.all(calls);
    });

    it('gets a second subscription request after it refused the first (C16)', async () => {
      const { url, servers } = await open(
        {
          received: (message, server) => {
            if (message.method === 'initialize') server.greet(message);
            else if (message.id !== undefined)
              server.say({ id: message.id, error: { code: -32002, message: 'none' } });
          },
        },
        {},
        shared,
      );
      const clients = [await McpClient.connect(url), await McpClient.connect(url)];
      for (const client of clients) {
        const answer = await client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } });
        expect(answer.json.error.code).to.equal(-32002);
      }
      const asked = serverOf(servers).sent.filter(({ method }) => method === 'resources/subscribe');
      expect(asked).to.have.length(2);
    });

    it('ends all its sessions when it exits, and the next client gets a new process (D01)', async () => {
      const { url, servers } = await open(
        {},
        {
          restarts: new TestRestarts({ firstDelayMs: 1, longestDelayMs: 1, failures: 5, withinMs: 1 }),
        },
        shared,
      );
      const client = await McpClient.connect(url);
      const call = client.post(CALL);
      await serverOf(servers).got('tools/call');
      serverOf(servers).exit();
      expect([(await call).status, (await call).json.error.data]).to.deep.equal([
        502,
        { reason: 'server_exited' },
      ]);
      expect((await client.post(CALL)).status).to.equal(404);
      expect((await McpClient.connect(url)).session).to.not.equal('');
      expect(servers.greeted).to.have.length(2);
    });
  });
});
