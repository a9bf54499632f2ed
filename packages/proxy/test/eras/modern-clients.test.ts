import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EraClient, modernParams } from '../support/era-client.ts';
import { EraServers, legacyScript } from '../support/era-servers.ts';
import type { Script, SentMessage } from '../support/scripted-server.ts';

/** Script of a Legacy server that sends the client one request for each call, and returns its response. */
const ASKING: Script = legacyScript((message, server) => {
  const { id, method, params } = message;
  if (method === 'tools/call') {
    const request = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    server.say({
      id: `ask-${String(id)}`,
      method: params.arguments.ask ?? 'elicitation/create',
      params: request,
    });
  } else if (message.text.includes('"id":"ask-')) {
    const call = String(id).slice('ask-'.length);
    const text = JSON.stringify(message.result ?? message.error);
    server.say({ id: call, result: { content: [{ type: 'text', text }] } });
  }
});

const CAN = { elicitation: {}, sampling: {}, roots: {} };

describe('Modern clients of a Legacy server', () => {
  const servers = new EraServers();
  afterEach(async () => expect(await servers.close()).to.equal(0));

  const call = (params: object, capabilities: object = CAN): object =>
    modernParams({ name: 'ask', arguments: {}, ...params }, capabilities);

  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
    it(`holds a call while the server waits for ${method}`, async () => {
      const client = await EraClient.open(servers.open(ASKING).server.openModern);
      const { result } = await client.request('tools/call', call({ arguments: { ask: method } }));
      expect(result.inputRequests['input-1'].method).to.equal(method);
      const inputResponses = { 'input-1': { action: 'accept', exact: 1.5 } };
      const retry = call({ inputResponses, requestState: result.requestState });
      const { result: done } = await client.request('tools/call', retry);
      expect(done.content[0].text).to.equal('{"action":"accept","exact":1.5}');
    });
  }

  it('refuses requests that the server sends during a list, which cannot wait for input', async () => {
    const script = legacyScript();
    let list: SentMessage['id'];
    let refusal: unknown;
    const { server } = servers.open({
      received: (message, process) => {
        if (message.method === 'tools/list') {
          list = message.id;
          process.say({ id: 'roots', method: 'roots/list' });
        } else if (message.id === 'roots') {
          refusal = message.error?.code;
          process.say({ id: list, result: { tools: [] } });
        } else script.received?.(message, process);
      },
    });
    const client = await EraClient.open(server.openModern);
    const { result } = await client.request('tools/list', modernParams({}, CAN));
    expect([result.resultType, result.tools, refusal]).to.deep.equal(['complete', [], -32601]);
  });

  it('responds with -32021 when the request lacks the capability', async () => {
    const { server, processes } = servers.open(ASKING);
    const client = await EraClient.open(server.openModern);
    const { error } = await client.request('tools/call', call({}, {}));
    expect(error.code).to.equal(-32021);
    expect(error.data).to.deep.equal({ requiredCapabilities: { elicitation: {} } });
    await processes.at(-1)?.got('notifications/cancelled');
  });

  it('continues a call only for its caller', async () => {
    const { server } = servers.open(ASKING);
    const connection = await server.openModern(new AbortController().signal);
    const ada = new EraClient(connection, 'ada');
    const { result } = await ada.request('tools/call', call({}));
    const inputResponses = { 'input-1': { action: 'decline' } };
    const retry = call({ inputResponses, requestState: result.requestState });
    const text = (id: string): string =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: retry });
    await connection.send(text('eve'), { owner: 'eve', exchange: undefined });
    expect((await ada.response('eve')).error.code).to.equal(-32603);
    await connection.send(text('ada'), ada.sender);
    expect((await ada.response('ada')).result.content[0].text).to.equal('{"action":"decline"}');
  });

  it('tells a client to start again after the time for its response, and the server that none came', async () => {
    const { server, processes } = servers.open(ASKING, { parkedMs: 30 });
    const client = await EraClient.open(server.openModern);
    const { result } = await client.request('tools/call', call({}));
    await processes.at(-1)?.got('notifications/cancelled');
    expect(processes.at(-1)?.sent.find(({ error }) => error !== undefined)?.error.code).to.equal(-32603);
    const retry = call({ inputResponses: {}, requestState: result.requestState });
    const { error } = await client.request('tools/call', retry);
    expect(error.code).to.equal(-32603);
    expect(error.message).to.include('Start the call again');
  });

  it('cancels the oldest parked call of a caller above the maximum', async () => {
    const { server } = servers.open(ASKING, { maxParked: 2 });
    const client = await EraClient.open(server.openModern);
    const states: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { result } = await client.request('tools/call', call({}));
      states.push(result.requestState);
    }
    const retry = (requestState: string | undefined): object =>
      call({ inputResponses: { 'input-1': {} }, requestState });
    expect((await client.request('tools/call', retry(states[0]))).error.code).to.equal(-32603);
    expect((await client.request('tools/call', retry(states[2]))).result.resultType).to.equal('complete');
  });

  it('refuses a retry of another tool', async () => {
    const client = await EraClient.open(servers.open(ASKING).server.openModern);
    const { result } = await client.request('tools/call', call({}));
    const { requestState } = result;
    const { error } = await client.request('tools/call', call({ name: 'other', requestState }));
    expect(error.code).to.equal(-32602);
  });

  it('uses at most the maximum of sessions for one caller, and queues further calls', async () => {
    const { server, running } = servers.open(
      legacyScript(() => undefined),
      { maxSessionsPerKey: 2 },
    );
    const client = await EraClient.open(server.openModern);
    await client.request('server/discover', modernParams({}, CAN));
    const calls = [1, 2, 3].map((at) => client.request('tools/call', call({}), at));
    const received = (): readonly SentMessage[] =>
      running().flatMap(({ sent }) => sent.filter(({ method }) => method === 'tools/call'));
    await eventually(() => expect(received()).to.have.lengthOf(2));
    const [first] = running();
    first?.say({ id: (await first.got('tools/call')).id, result: {} });
    await eventually(() => expect(received()).to.have.lengthOf(3));
    expect(running()).to.have.lengthOf(2);
    for (const process of running())
      for (const { id, method } of process.sent) if (method === 'tools/call') process.say({ id, result: {} });
    await Promise.all(calls);
  });

  it('turns -32002 into -32602, and -32042 into input for a client that opens addresses', async () => {
    const script = legacyScript(({ id, params }, server) => {
      if (params?.arguments?.code === undefined) return;
      const elicitations = [
        { mode: 'url', elicitationId: 'e', url: 'https://x.example/', message: 'Log in' },
      ];
      const calls = server.sent.filter(({ method }) => method === 'tools/call').length;
      if (calls > 1) server.say({ id, result: { content: [] } });
      else server.say({ id, error: { code: params.arguments.code, message: 'x', data: { elicitations } } });
    });
    const client = await EraClient.open(servers.open(script).server.openModern);
    const missing = await client.request(
      'tools/call',
      call({ arguments: { code: -32042 } }, { elicitation: {} }),
    );
    expect(missing.error.data).to.deep.equal({ requiredCapabilities: { elicitation: { url: {} } } });
    const can = { elicitation: { url: {} } };
    const { result } = await client.request('tools/call', call({ arguments: { code: -32042 } }, can));
    expect(result.inputRequests['url-1'].params.url).to.equal('https://x.example/');
    const inputResponses = { 'url-1': { action: 'accept' } };
    const again = call({ arguments: { code: 1 }, inputResponses, requestState: result.requestState }, can);
    expect((await client.request('tools/call', again)).result.resultType).to.equal('complete');
  });

  it('acknowledges a subscription, and tags list changes and updates with its id', async () => {
    const { server, running } = servers.open(legacyScript());
    const client = await EraClient.open(server.openModern);
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a:b'],
    };
    await client.send({ id: 7, method: 'subscriptions/listen', params: modernParams({ notifications }) });
    const { params } = await client.got('notifications/subscriptions/acknowledged');
    expect(params.notifications).to.deep.equal({ toolsListChanged: true, resourceSubscriptions: ['a:b'] });
    const process = running().find(({ sent }) => sent.some(({ method }) => method === 'resources/subscribe'));
    process?.say({ method: 'notifications/tools/list_changed' });
    process?.say({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    const updated = await client.got('notifications/resources/updated');
    expect(updated.params['_meta']).to.deep.equal({ 'io.modelcontextprotocol/subscriptionId': 7 });
    await client.got('notifications/tools/list_changed');
    await client.send({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await process?.got('resources/unsubscribe');
  });

  it('delivers log messages only to a request with a log level', async () => {
    const logging = legacyScript(({ id, method }, server) => {
      if (method !== 'tools/call') return;
      server.say({ method: 'notifications/message', params: { level: 'info', data: `log ${String(id)}` } });
      server.say({ id, result: { content: [] } });
    });
    const client = await EraClient.open(servers.open(logging).server.openModern);
    await client.request('tools/call', call({}));
    expect(client.received.some(({ method }) => method === 'notifications/message')).to.equal(false);
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    await client.request('tools/call', modernParams({ name: 'x', arguments: {} }, CAN, meta));
    await client.got('notifications/message');
  });

  it('opens a session again after its process has ended, and never repeats the call', async () => {
    const { server, running } = servers.open(legacyScript(() => undefined));
    const client = await EraClient.open(server.openModern);
    await client.request('tools/list', modernParams({}, CAN));
    const lost = client.request('tools/call', call({}), 1);
    const process = running().at(-1);
    await process?.got('tools/call');
    process?.exit();
    expect((await lost).error.data.reason).to.equal('server_exited');
    expect((await client.request('tools/list', modernParams({}, CAN))).result.tools).to.deep.equal([]);
    const calls = running().flatMap(({ sent }) => sent.filter(({ method }) => method === 'tools/call'));
    expect(calls).to.have.lengthOf(0);
  });

  it('cancels the call at the server when the client cancels it', async () => {
    const { server, running } = servers.open(legacyScript(() => undefined));
    const client = await EraClient.open(server.openModern);
    await client.request('tools/list', modernParams({}, CAN));
    await client.send({ id: 'x', method: 'tools/call', params: call({}) });
    const { id } = (await running().at(-1)?.got('tools/call')) ?? {};
    await client.send({ method: 'notifications/cancelled', params: { requestId: 'x' } });
    const { params } = (await running().at(-1)?.got('notifications/cancelled')) ?? {};
    expect(params.requestId).to.equal(id);
  });
});
