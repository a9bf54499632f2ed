import { askServer } from '@portolan/mcp-client';
import { OwnRequests } from '@portolan/mcp-protocol';
import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { MODERN, ModernClient, SUBSCRIPTION } from '../support/modern-client.ts';
import { modernScript, type ModernScriptOptions } from '../support/modern-script.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import {
  type Script,
  type ScriptedServer,
  ScriptedServers,
  type Served,
} from '../support/scripted-server.ts';
import { TestRestarts } from '../support/test-restarts.ts';

const CALL = { method: 'tools/call', params: { name: 'a', arguments: {} } };
const LISTEN = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } };
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const CHANGED = 'notifications/tools/list_changed';

describe('bridge for clients without a handshake (Modern); Legacy clients send initialize', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function openScript(script: Script, options: TestProxyOptions = {}, served: Served = {}) {
    const servers = new ScriptedServers(script);
    const opened = await proxies.open(servers.backend(served), options);
    return { ...opened, servers, client: new ModernClient(opened.url) };
  }

  const open = (options: ModernScriptOptions = {}, proxy: TestProxyOptions = {}, served: Served = {}) =>
    openScript(modernScript(options), proxy, served);

  /** Returns the process that received the nth `server/discover` probe. */
  async function probed(servers: ScriptedServers, nth = 0): Promise<ScriptedServer> {
    return eventually(() => {
      const found = servers.all.filter(({ sent }) => sent[0]?.method === 'server/discover')[nth];
      if (found === undefined) throw new Error('no server was asked');
      return found;
    });
  }

  const tagged = (method: string, id: unknown, params: object = {}) => ({
    method,
    params: { ...params, _meta: { [SUBSCRIPTION]: id } },
  });

  describe('process', () => {
    it('is shared by all Modern clients, and separate for each Legacy client (C02, C07)', async () => {
      const { client, url, servers, proxy } = await openScript({
        received: (message, server) => {
          if (message.method === 'initialize') server.greet(message);
          else if (message.method === 'server/discover') {
            server.say({ id: message.id, result: { supportedVersions: [MODERN], capabilities: {} } });
          } else if (message.id !== undefined) server.say({ id: message.id, result: { tools: [] } });
        },
      });
      const answers = await Promise.all([1, 2, 3].map((id) => client.post({ id, method: 'tools/list' })));
      expect(answers.map(({ status, json }) => [status, json.id])).to.deep.equal([
        [200, 1],
        [200, 2],
        [200, 3],
      ]);
      const legacy = await McpClient.connect(url);
      expect((await legacy.post({ id: 1, method: 'tools/list' })).status).to.equal(200);
      const [first] = servers.greeted;
      expect(first?.sent.some(({ method }) => method === 'server/discover')).to.equal(false);
      expect(servers.all.filter(({ sent }) => sent[0]?.method === 'server/discover')).to.have.length(1);
      expect(proxy.stats.sessions).to.equal(1);
    });

    for (const sessions of ['own', 'shared'] as const) {
      it(`is replaced by one with initialize when the server exits on server/discover: D13, ${sessions} processes`, async () => {
        const restarts = new TestRestarts();
        const { client, url, servers } = await openScript(
          {
            received: (message, server) => {
              if (message.method === 'initialize') server.greet(message);
              else if (message.method === 'server/discover') server.exit();
            },
          },
          { restarts },
          { sessions },
        );
        const refused = await client.post({ id: 7, method: 'tools/list' });
        expect([refused.status, refused.json.id, refused.json.error.code]).to.deep.equal([400, 7, -32600]);
        expect(refused.json.error.message).to.include('2025-11-25');
        expect((await McpClient.connect(url)).session).to.not.equal('');
        // The process has not crashed, and the proxy does not probe it again.
        expect(restarts.delayMs).to.equal(0);
        await client.post({ method: 'tools/list' });
        expect(servers.all.filter(({ sent }) => sent[0]?.method === 'server/discover')).to.have.length(1);
      });
    }

    it('causes an error with the supported revisions for a Legacy client: D14', async () => {
      for (const sessions of ['own', 'shared'] as const) {
        const { url } = await open({}, {}, { sessions });
        const answer = await new McpClient(url).post(initialize());
        expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([400, 'init', -32022]);
        expect(answer.json.error.data.supported).to.deep.equal([MODERN]);
        expect(answer.headers).to.not.have.property('mcp-session-id');
      }
    });

    it('passes the check of the supervisor when the server supports only clients without a handshake (F9)', async () => {
      for (const sessions of ['own', 'shared'] as const) {
        const ownRequests = new OwnRequests();
        const { url } = await open({}, { ownRequests }, { sessions });
        const { signal } = new AbortController();
        const asking = { url, speaks: 'streamable-http', endpointPrefix: '', version: '1', signal } as const;
        expect(await askServer({ ...asking, ownRequests })).to.deep.equal({ outcome: 'answered' });
      }
    });

    describe('of a server that can run only once', () => {
      const both: Script = {
        received: (message, server) => {
          if (message.method === 'initialize') server.greet(message);
          else if (message.method === 'server/discover') {
            server.say({ id: message.id, result: { supportedVersions: [MODERN], capabilities: {} } });
          } else if (message.id !== undefined) server.say({ id: message.id, result: { tools: [] } });
        },
      };

      it('stays with Legacy clients when they came first', async () => {
        const { client, url, servers } = await openScript(both, {}, { sessions: 'shared' });
        const legacy = await McpClient.connect(url);
        const refused = await client.post({ id: 2, method: 'tools/list' });
        expect([refused.status, refused.json.id, refused.json.error.code]).to.deep.equal([400, 2, -32600]);
        expect((await legacy.post({ id: 1, method: 'tools/list' })).status).to.equal(200);
        expect(servers.all).to.have.length(1);
      });

      it('goes to Legacy clients when the server does not respond to the probe, and stays theirs after a restart', async () => {
        const restarts = new TestRestarts({ firstDelayMs: 10 });
        const options = { restarts, limits: { probeMs: 30 } };
        const silent: Script = {
          received: (message, server) => {
            if (message.method === 'initialize') server.greet(message);
          },
        };
        const { client, url, servers } = await openScript(silent, options, { sessions: 'shared' });
        const refused = client.post({ method: 'tools/list' });
        await probed(servers);
        expect((await McpClient.connect(url)).session).to.not.equal('');
        expect((await refused).json.error.code).to.equal(-32600);
        servers.greeted.at(-1)?.exit();
        await eventually(async () => {
          expect((await client.post({ method: 'tools/list' })).json.error.code).to.equal(-32600);
          expect((await McpClient.connect(url)).session).to.not.equal('');
        });
        expect(servers.all.filter(({ sent }) => sent[0]?.method === 'server/discover')).to.have.length(1);
      });

      it('stays with Modern clients when they came first', async () => {
        const { client, url, servers, proxy } = await openScript(both, {}, { sessions: 'shared' });
        const [served, refused] = await Promise.all([
          client.post({ method: 'tools/list' }),
          eventually(async () => {
            await probed(servers);
            return new McpClient(url).post(initialize());
          }),
        ]);
        expect(served.status).to.equal(200);
        expect([refused.status, refused.json.error.code, refused.json.error.data.supported]).to.deep.equal([
          400,
          -32022,
          [MODERN],
        ]);
        expect(servers.all).to.have.length(1);
        expect(proxy.stats.processes).to.equal(1);
      });
    });

    it('counts as Legacy when it is silent and another process has responded to initialize', async () => {
      let speak: (() => void) | undefined;
      const script = modernScript();
      const { client, url } = await openScript(
        {
          received: (message, server) => {
            if (message.method === 'initialize') server.greet(message);
            else if (message.method !== 'server/discover') script.received?.(message, server);
            else speak = () => script.received?.(message, server);
          },
        },
        { limits: { probeMs: 30 } },
      );
      const refused = client.post({ method: 'tools/list' });
      await McpClient.connect(url);
      expect((await refused).json.error.code).to.equal(-32600);
      expect((await client.post({ method: 'tools/list' })).json.error.code).to.equal(-32600);
      speak?.();
      await eventually(async () =>
        expect((await client.post({ method: 'tools/list' })).status).to.equal(200),
      );
    });

    it('counts as Modern when it refuses the probe with a list of Modern revisions', async () => {
      const { client } = await openScript({
        received: ({ id, method }, server) => {
          const data = { supported: [MODERN], requested: 'x' };
          if (method === 'server/discover') server.say({ id, error: { code: -32022, message: 'no', data } });
          else server.say({ id, result: { tools: [] } });
        },
      });
      expect((await client.post({ method: 'tools/list' })).status).to.equal(200);
    });

    it('is probed again later when it exited during the probe', async () => {
      const clock = new FakeClock();
      const script = modernScript();
      let started = 0;
      const { client, servers } = await openScript(
        {
          received: (message, server) => {
            if (message.method === 'server/discover') started += 1;
            if (message.method === 'server/discover' && started === 1) server.exit();
            else script.received?.(message, server);
          },
        },
        { nowMs: clock.nowMs },
      );
      expect((await client.post({ method: 'tools/list' })).json.error.code).to.equal(-32600);
      clock.advance(61_000);
      expect((await client.post({ method: 'tools/list' })).status).to.equal(200);
      await probed(servers, 1);
    });

    it('is restarted after a crash: D01', async () => {
      const { client, servers, proxy } = await open(
        { received: ({ method }, server) => (method === 'tools/call' ? server.exit() : undefined) },
        { restarts: new TestRestarts({ firstDelayMs: 10 }) },
      );
      const failed = await client.post({ id: 'x', ...CALL });
      expect([failed.status, failed.json.id, failed.json.error.data.reason]).to.deep.equal([
        502,
        'x',
        'server_exited',
      ]);
      expect((await client.post({ method: 'tools/list' })).status).to.equal(200);
      await probed(servers, 1);
      expect(proxy.stats.waiting).to.equal(0);
    });

    it('gets no session id: A22', async () => {
      const { client, servers } = await open();
      const answer = await client.post({ method: 'tools/list' }, { 'Mcp-Session-Id': 'somebody-elses' });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.not.have.property('mcp-session-id');
      expect(JSON.stringify((await probed(servers)).sent)).to.not.include('somebody-elses');
    });
  });

  describe('responses', () => {
    it('arrive unchanged, including caching hints', async () => {
      const { client, servers } = await open({
        received: ({ id, method }, server) => {
          if (method === 'resources/read') {
            server.write(
              `{ "id": "${String(id)}", "jsonrpc":"2.0", "result": {"n":1.0,"big":9007199254740993,"ttlMs":7} }`,
            );
          }
        },
      });
      const answer = await client.post({ id: 9, method: 'resources/read', params: { uri: 'a://b' } });
      expect(answer.text).to.equal(
        '{ "id": 9, "jsonrpc":"2.0", "result": {"n":1.0,"big":9007199254740993,"ttlMs":7} }',
      );
      const { text } = await (await probed(servers)).got('resources/read');
      expect(text).to.include('"uri":"a://b"');
    });

    const codes = [
      { code: -32601, status: 404 },
      { code: -32020, status: 400 },
      { code: -32021, status: 400 },
      { code: -32602, status: 200 },
      { code: -32603, status: 200 },
      { code: 7, status: 200 },
    ];
    for (const { code, status } of codes) {
      it(`have the status ${status} for the error ${code}`, async () => {
        const { client } = await open({
          received: ({ id }, server) => server.say({ id, error: { code, message: 'no', data: { a: 1 } } }),
        });
        const answer = await client.post({ id: 'q', method: 'prompts/list' });
        expect([answer.status, answer.json]).to.deep.equal([
          status,
          { jsonrpc: '2.0', id: 'q', error: { code, message: 'no', data: { a: 1 } } },
        ]);
      });
    }

    it('list only the supported revisions', async () => {
      const { client } = await open({ supported: ['2025-11-25', MODERN, '2030-01-01'] });
      const answer = await client.post({ method: 'server/discover' });
      expect(answer.json.result.supportedVersions).to.deep.equal(['2025-11-25', MODERN]);
    });

    it('with equal ids, and out of order, reach their own clients (C01)', async () => {
      const { client, servers } = await open();
      const calls = Array.from({ length: 8 }, (_, at) =>
        client.post({ id: 1, method: 'prompts/get', params: { name: `n${at}` } }),
      );
      const server = await probed(servers);
      await eventually(() =>
        expect(server.sent.filter(({ method }) => method === 'prompts/get')).to.have.length(8),
      );
      for (const { id, params } of server.sent.toReversed()) {
        if (params?.name !== undefined) server.say({ id, result: { for: params.name } });
      }
      const answers = await Promise.all(calls);
      expect(answers.map(({ json }) => [json.id, json.result.for])).to.deep.equal(
        Array.from({ length: 8 }, (_, at) => [1, `n${at}`]),
      );
    });

    it('that ask several rounds of questions arrive unchanged', async () => {
      const wanted = {
        resultType: 'input_required',
        inputRequests: { a: { method: 'roots/list' } },
        requestState: 's',
      };
      const { client, servers } = await open({
        received: ({ id, params }, server) =>
          server.say({
            id,
            result: params?.inputResponses === undefined ? wanted : { resultType: 'complete' },
          }),
      });
      expect((await client.post(CALL)).json.result).to.deep.equal(wanted);
      const again = { inputResponses: { a: { roots: [] } }, requestState: 's' };
      const second = await client.post({ id: 2, ...CALL, params: { ...CALL.params, ...again } });
      expect(second.json.result).to.deep.equal({ resultType: 'complete' });
      expect((await (await probed(servers)).got('tools/call')).params).to.include({ requestState: 's' });
    });
  });

  describe('progress, log messages and cancellation', () => {
    it('sends progress only to the client of the request, with its own token (C08)', async () => {
      const { client, servers } = await open();
      const streams = ['t', 5].map((progressToken) =>
        client.stream({ id: 1, method: 'prompts/get', params: { name: 'a' }, meta: { progressToken } }),
      );
      const server = await probed(servers);
      const asked = await eventually(() => {
        const found = server.sent.filter(({ method }) => method === 'prompts/get');
        expect(found).to.have.length(2);
        return found;
      });
      for (const { id, params } of asked) {
        const { progressToken } = params['_meta'];
        server.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        server.say({ id, result: {} });
      }
      const events = await Promise.all(streams);
      await Promise.all(events.map((one) => one.over()));
      const tokens = events.map(({ messages }) => messages.map(({ params }) => params?.progressToken));
      expect(tokens.map((of) => of[0])).to.have.members(['t', 5]);
      expect(tokens.every((of) => of.length === 2)).to.equal(true);
    });

    it('cancels the request of a client that disconnects: D08', async () => {
      const { client, servers, proxy } = await open();
      const stream = client.stream({
        method: 'prompts/get',
        params: { name: 'a' },
        meta: { progressToken: 1 },
      });
      const server = await probed(servers);
      const { id } = await server.got('prompts/get');
      server.say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      (await stream).leave();
      expect((await server.got('notifications/cancelled')).params.requestId).to.equal(id);
      server.say({ id, result: {} });
      await eventually(() => expect(proxy.stats.waiting).to.equal(0));
    });

    it('cancels a request after the timeout: D02', async () => {
      const { client, servers } = await open({}, { limits: { requestMs: 50 } });
      const late = client.post({ id: 1, method: 'prompts/get', params: { name: 'a' } });
      const other = await client.post({ id: 2, method: 'tools/list' });
      expect(other.status).to.equal(200);
      const answer = await late;
      expect([answer.status, answer.json.id, answer.json.error.data.reason]).to.deep.equal([
        504,
        1,
        'timeout',
      ]);
      const server = await probed(servers);
      const { id } = await server.got('prompts/get');
      expect((await server.got('notifications/cancelled')).params.requestId).to.equal(id);
    });

    it('drops a log message when two clients could have caused it: C19', async () => {
      const { client, servers, proxy } = await open();
      const level = (logLevel: string) => ({ 'io.modelcontextprotocol/logLevel': logLevel });
      const ask = (id: number, logLevel: string) =>
        client.stream({ id, method: 'prompts/get', params: { name: `${id}` }, meta: level(logLevel) });
      const streams = [ask(1, 'debug'), ask(2, 'error')];
      const server = await probed(servers);
      const asked = await Promise.all(
        ['1', '2'].map((name) => server.got('prompts/get', (params) => params.name === name)),
      );
      const log = (of: string, data: string) =>
        server.say({ method: 'notifications/message', params: { level: of, data } });
      log('error', 'whose');
      await eventually(() => expect(proxy.stats.droppedNotifications).to.equal(1));
      log('info', 'of the first');
      for (const { id } of asked) server.say({ id, result: {} });
      const [first, second] = await Promise.all(streams);
      await Promise.all([first?.over(), second?.over()]);
      expect(first?.messages.map(({ params }) => params?.data)).to.deep.equal(['of the first', undefined]);
    });

    it('refuses requests of the server to clients', async () => {
      const { client, servers, proxy } = await open();
      await client.post({ method: 'tools/list' });
      const server = await probed(servers);
      server.say({ id: 'ask', method: 'sampling/createMessage', params: {} });
      await eventually(() =>
        expect(server.sent.find(({ id }) => id === 'ask')?.error).to.have.property('code', -32601),
      );
      expect(proxy.stats.refusedServerRequests).to.equal(1);
    });
  });

  describe('subscriptions', () => {
    it('use the ids of their clients, and start with the acknowledgement: C17', async () => {
      const { client, servers, proxy } = await open();
      const streams = [client.stream({ id: 1, ...LISTEN }), client.stream({ id: 1, ...LISTEN })];
      const server = await probed(servers);
      const [first, second] = await eventually(() => {
        const found = server.sent.filter(({ method }) => method === LISTEN.method);
        expect(found).to.have.length(2);
        return found;
      });
      server.say(tagged(CHANGED, first?.id, { early: true }));
      server.say(tagged(ACKNOWLEDGED, first?.id));
      server.say(tagged(ACKNOWLEDGED, second?.id));
      server.say(tagged(CHANGED, second?.id, { second: true }));
      server.say(tagged(CHANGED, 'made-up'));
      server.say({ method: CHANGED });
      const events = await Promise.all(streams);
      await Promise.all(events.map((one) => one.got(({ method }) => method === CHANGED)));
      for (const { messages } of events) {
        expect(messages.map(({ method }) => method)).to.deep.equal([ACKNOWLEDGED, CHANGED]);
        expect(messages.map(({ params }) => params['_meta'][SUBSCRIPTION])).to.deep.equal([1, 1]);
      }
      await eventually(() => expect(proxy.stats.droppedNotifications).to.equal(2));
      // The listening streams do not count as pending requests.
      expect(proxy.stats.waiting).to.equal(0);
    });

    it('end with the result of the server, under the id of the client', async () => {
      const { client, servers } = await open();
      const stream = client.stream({ id: 'mine', ...LISTEN });
      const server = await probed(servers);
      const { id } = await server.got(LISTEN.method);
      server.say(tagged(ACKNOWLEDGED, id));
      server.say({ id, result: { _meta: { [SUBSCRIPTION]: id } } });
      const events = await stream;
      await events.over();
      expect(events.messages.at(-1)).to.deep.equal({
        jsonrpc: '2.0',
        id: 'mine',
        result: { _meta: { [SUBSCRIPTION]: 'mine' } },
      });
    });

    it('are cancelled at the server when the client disconnects, and end without a result when the server cancels', async () => {
      const { client, servers } = await open();
      const streams = [client.stream({ id: 1, ...LISTEN }), client.stream({ id: 2, ...LISTEN })];
      const server = await probed(servers);
      const asked = await eventually(() => {
        const found = server.sent.filter(({ method }) => method === LISTEN.method);
        expect(found).to.have.length(2);
        return found;
      });
      for (const { id } of asked) server.say(tagged(ACKNOWLEDGED, id));
      const events = await Promise.all(streams);
      const of = (id: number) =>
        events.find(({ messages }) => messages[0]?.params['_meta'][SUBSCRIPTION] === id);
      await Promise.all(events.map((one) => one.got(({ method }) => method === ACKNOWLEDGED)));
      of(1)?.leave();
      const { params } = await server.got('notifications/cancelled');
      const other = asked.find(({ id }) => id !== params.requestId);
      server.say({ method: 'notifications/cancelled', params: { requestId: other?.id } });
      await of(2)?.over();
      expect(of(2)?.messages).to.have.length(1);
    });

    it('end without a result when the process exits: D15', async () => {
      const { client, servers } = await open({}, { restarts: new TestRestarts({ firstDelayMs: 10 }) });
      const stream = client.stream({ id: 1, ...LISTEN });
      const server = await probed(servers);
      server.say(tagged(ACKNOWLEDGED, (await server.got(LISTEN.method)).id));
      const events = await stream;
      await events.got(({ method }) => method === ACKNOWLEDGED);
      server.exit();
      await events.over();
      expect(events.messages).to.have.length(1);
      expect(events.isBroken).to.equal(false);
      expect((await client.post({ method: 'tools/list' })).status).to.equal(200);
    });

    it('are refused when the client does not accept event streams', async () => {
      const { client } = await open();
      const answer = await client.post({ id: 4, ...LISTEN }, { Accept: 'application/json' });
      expect([answer.status, answer.json.id]).to.deep.equal([406, 4]);
    });

    it('deliver task notifications that the client subscribed to', async () => {
      const { client, servers } = await open({
        received: ({ id, method, params }, server) => {
          if (method === 'tools/call')
            server.say({ id, result: { resultType: 'task', taskId: 't-1', ttlMs: 5 } });
          if (method === 'tasks/get')
            server.say({ id, result: { taskId: params.taskId, status: 'completed' } });
        },
      });
      const begun = await client.post(CALL);
      expect(begun.json.result).to.deep.equal({ resultType: 'task', taskId: 't-1', ttlMs: 5 });
      const stream = client.stream({
        id: 'w',
        method: LISTEN.method,
        params: { notifications: { taskIds: ['t-1'] } },
      });
      const server = await probed(servers);
      const { id } = await server.got(LISTEN.method);
      server.say(tagged(ACKNOWLEDGED, id));
      server.say(tagged('notifications/tasks', id, { taskId: 't-1', status: 'completed' }));
      const told = await (await stream).got(({ method }) => method === 'notifications/tasks');
      expect(told.params).to.deep.equal({
        taskId: 't-1',
        status: 'completed',
        _meta: { [SUBSCRIPTION]: 'w' },
      });
      const asked = await client.post({ id: 2, method: 'tasks/get', params: { taskId: 't-1' } });
      expect(asked.json.result.status).to.equal('completed');
      const unnamed = await client.post(
        { id: 3, method: 'tasks/get', params: { taskId: 't-1' } },
        { 'Mcp-Name': 'x' },
      );
      expect(unnamed.json.error.code).to.equal(-32020);
    });

    it('are refused above their maximum number', async () => {
      const { client, servers } = await open({}, { limits: { maxSubscriptions: 1 } });
      const stream = client.stream({ id: 1, ...LISTEN });
      await (await probed(servers)).got(LISTEN.method);
      const refused = await client.post({ id: 2, ...LISTEN });
      expect([refused.status, refused.json.error.code, refused.headers['retry-after']]).to.deep.equal([
        503,
        -32603,
        '60',
      ]);
      await proxies.close();
      await (await stream).over();
    });
  });

  describe('headers that repeat tool arguments (A16)', () => {
    const tools = [
      {
        name: 'a',
        inputSchema: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
          },
        },
      },
    ];
    const answering = {
      tools,
      received: ({ id }: { id?: unknown }, server: ScriptedServer) => server.say({ id, result: {} }),
    };
    const cases = [
      { title: 'are missing', args: { region: 'eu' }, headers: {}, status: 400 },
      { title: 'differ', args: { region: 'eu' }, headers: { 'Mcp-Param-Region': 'us' }, status: 400 },
      { title: 'agree', args: { region: 'eu' }, headers: { 'mcp-param-region': ' eu ' }, status: 200 },
      { title: 'repeat a missing argument', args: {}, headers: { 'Mcp-Param-Region': 'eu' }, status: 400 },
      { title: 'are missing for null', args: { region: null }, headers: {}, status: 200 },
      {
        title: 'contain 42.0 for 42',
        args: { deep: { count: 42 } },
        headers: { 'Mcp-Param-Count': '42.0' },
        status: 200,
      },
      {
        title: 'contain 43 for 42',
        args: { deep: { count: 42 } },
        headers: { 'Mcp-Param-Count': '43' },
        status: 400,
      },
      {
        title: 'are base64',
        args: { region: 'zürich' },
        headers: { 'Mcp-Param-Region': `=?base64?${Buffer.from('zürich').toString('base64')}?=` },
        status: 200,
      },
      {
        title: 'are invalid base64',
        args: { region: 'eu' },
        headers: { 'Mcp-Param-Region': '=?base64?!?=' },
        status: 400,
      },
    ];
    for (const { title, args, headers, status } of cases) {
      it(`are ${status === 200 ? 'accepted' : 'refused'} when they ${title}`, async () => {
        const { client, servers } = await open(answering);
        const answer = await client.post({ ...CALL, params: { name: 'a', arguments: args } }, headers);
        expect([answer.status, answer.json.error?.code]).to.deep.equal([
          status,
          status === 200 ? undefined : -32020,
        ]);
        const server = await probed(servers);
        expect(server.sent.some(({ method }) => method === 'tools/call')).to.equal(status === 200);
      });
    }

    it('are checked against the current tool list of the server', async () => {
      const changing: { tools: object[] } = { tools: [{ name: 'a', inputSchema: {} }] };
      const { client, servers } = await openScript({
        received: (message, server) =>
          modernScript({ ...changing, capabilities: { tools: { listChanged: true } } }).received?.(
            message,
            server,
          ),
      });
      const call = (region: string) =>
        client.post(
          { ...CALL, params: { name: 'a', arguments: { region } } },
          { 'Mcp-Param-Region': region },
        );
      void call('eu').catch(() => undefined);
      const server = await probed(servers);
      await server.got('tools/call');
      changing.tools = tools;
      const { id } = await server.got(LISTEN.method);
      server.say(tagged(CHANGED, id));
      const refused = await eventually(async () => {
        const answer = await client.post({ ...CALL, params: { name: 'a', arguments: { region: 'eu' } } });
        expect(answer.status).to.equal(400);
        return answer;
      });
      expect(refused.json.error.code).to.equal(-32020);
    });
  });

  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
  ]) {
    it(`refuses the Legacy method ${method}: A17, A24`, async () => {
      const { client, servers } = await open();
      const answer = await client.post({ id: 3, method });
      expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([404, 3, -32601]);
      expect((await probed(servers)).sent.map((sent) => sent.method)).to.deep.equal(['server/discover']);
    });
  }
});
