import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { translateEras } from '../../src/server/eras/eras.ts';
import { EraClient } from '../support/era-client.ts';
import { EraServers, legacyScript } from '../support/era-servers.ts';
import { modernScript } from '../support/modern-script.ts';
import type { Script } from '../support/scripted-server.ts';

const META = 'io.modelcontextprotocol/';
const ROUND = {
  resultType: 'input_required',
  inputRequests: {
    who: { method: 'elicitation/create', params: { message: 'Who?' } },
    where: { method: 'roots/list' },
  },
  requestState: 'sealed by the server',
};

/** Script of a Modern server that requests two inputs in one round, and returns the client's responses. */
const ASKING: Script = modernScript({
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
  received: ({ id, method, params }, server) => {
    if (method !== 'tools/call') return;
    const { inputResponses, requestState, arguments: args } = params;
    if (inputResponses === undefined || args.forever === true) server.say({ id, result: ROUND });
    else {
      const text = JSON.stringify({ inputResponses, requestState });
      server.say({ id, result: { resultType: 'complete', content: [{ type: 'text', text }] } });
    }
  },
});

describe('Legacy clients of a Modern server', () => {
  const servers = new EraServers();
  afterEach(async () => expect(await servers.close()).to.equal(0));

  it('puts capabilities and client info of the handshake into each request, and the chosen log level', async () => {
    const { server, running } = servers.open(ASKING);
    const client = await EraClient.open(server.openLegacy);
    const { result } = await client.greet({ elicitation: {}, tasks: {} }, '2025-06-18');
    expect(result.protocolVersion).to.equal('2025-06-18');
    expect((await client.request('logging/setLevel', { level: 'info' })).result).to.deep.equal({});
    await client.send({
      id: 'x',
      method: 'tools/call',
      params: { name: 'a', arguments: {}, _meta: { own: 1.0 } },
    });
    const { params } = (await running().at(-1)?.got('tools/call')) ?? {};
    expect(params['_meta']).to.deep.equal({
      own: 1,
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientCapabilities`]: { elicitation: {} },
      [`${META}clientInfo`]: { name: 'test', version: '1' },
      [`${META}logLevel`]: 'info',
    });
  });

  it('sends input requests to the client, and its responses with the state back to the server', async () => {
    const client = await EraClient.open(servers.open(ASKING).server.openLegacy);
    await client.greet({ elicitation: {}, roots: {} });
    const called = client.request('tools/call', { name: 'a', arguments: {} });
    const [who, where] = [await client.got('elicitation/create'), await client.got('roots/list')];
    await client.send({ id: where.id, result: { roots: [] } });
    await client.send({ id: who.id, result: { action: 'accept' } });
    const { result } = await called;
    expect(JSON.parse(result.content[0].text)).to.deep.equal({
      inputResponses: { who: { action: 'accept' }, where: { roots: [] } },
      requestState: 'sealed by the server',
    });
    expect(result).to.not.have.property('resultType');
  });

  it('ends a call after the maximum number of rounds', async () => {
    const client = await EraClient.open(servers.open(ASKING, { maxRounds: 2 }).server.openLegacy);
    await client.greet({ elicitation: {}, roots: {} });
    const called = client.request('tools/call', { name: 'a', arguments: { forever: true } });
    for (const round of [1, 2]) {
      const asked = await eventually(() => {
        const requests = client.received.filter(({ method }) => method !== undefined);
        expect(requests).to.have.lengthOf(round * 2);
        return requests.slice(-2);
      });
      for (const { id } of asked) await client.send({ id, result: {} });
    }
    expect((await called).error.message).to.include('more than 2 times');
  });

  it('refuses a call whose input the client cannot give', async () => {
    const client = await EraClient.open(servers.open(ASKING).server.openLegacy);
    await client.greet({ elicitation: {} });
    const { error } = await client.request('tools/call', { name: 'a', arguments: {} });
    expect(error.message).to.include('"roots"');
  });

  it('cancels the call at the server, and the request to the client, when the client cancels', async () => {
    const client = await EraClient.open(servers.open(ASKING).server.openLegacy);
    await client.greet({ elicitation: {}, roots: {} });
    await client.send({ id: 5, method: 'tools/call', params: { name: 'a', arguments: {} } });
    await client.got('roots/list');
    await client.send({ method: 'notifications/cancelled', params: { requestId: 5 } });
    await client.got('notifications/cancelled');
    await client.request('ping');
    expect(client.received.some(({ id }) => id === 5)).to.equal(false);
  });

  it('follows list changes and resources with one subscription, and removes its tag', async () => {
    const { server, running } = servers.open(ASKING);
    const client = await EraClient.open(server.openLegacy);
    await client.greet();
    const process = running().at(-1);
    const first = await process?.got('subscriptions/listen');
    const acknowledge = (id: unknown, notifications: object): void =>
      process?.say({
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { [`${META}subscriptionId`]: id }, notifications },
      });
    acknowledge(first?.id, { toolsListChanged: true });
    const subscribed = client.request('resources/subscribe', { uri: 'a:b' });
    const second = await process?.got(
      'subscriptions/listen',
      ({ notifications }) => 'resourceSubscriptions' in notifications,
    );
    expect(second?.params.notifications).to.deep.equal({
      toolsListChanged: true,
      resourceSubscriptions: ['a:b'],
    });
    acknowledge(second?.id, second?.params.notifications);
    expect((await subscribed).result).to.deep.equal({});
    await process?.got('notifications/cancelled', ({ requestId }) => requestId === first?.id);
    const tag = { [`${META}subscriptionId`]: second?.id };
    process?.say({ method: 'notifications/resources/updated', params: { uri: 'a:b', _meta: tag } });
    expect((await client.got('notifications/resources/updated')).params).to.deep.equal({ uri: 'a:b' });
  });

  it('uses one process for all sessions of a server that is Modern only', async () => {
    const { server, running } = servers.open(ASKING);
    for (let at = 0; at < 3; at += 1) await (await EraClient.open(server.openLegacy)).greet();
    expect(running()).to.have.lengthOf(1);
    expect(server.revision).to.equal('2026-07-28');
  });

  it('passes all bytes unchanged to a server that accepts the handshake', async () => {
    const { server, processes } = servers.open(legacyScript());
    const client = await EraClient.open(server.openLegacy);
    await client.greet();
    const text =
      '{"jsonrpc":"2.0", "id":9007199254740993,"method":"tools/call","params":{"arguments":{"a":1.0}}}';
    await client.connection.send(text);
    expect(processes[0]?.sent.at(-1)?.text).to.equal(text);
  });

  it('closes the process of a Modern server that exits, and ends its sessions', async () => {
    const { server, processes, running } = servers.open(modernScript());
    const client = await EraClient.open(server.openLegacy);
    await client.greet({});
    running()[0]?.exit();
    await client.ended;
    await eventually(() => expect(running()).to.deep.equal([]));
    const again = await EraClient.open(server.openLegacy);
    await again.greet({});
    expect(running()).to.deep.equal(processes.slice(-1));
  });

  it('ends a connection whose process exits before the first message', async () => {
    const { server, running } = servers.open(legacyScript());
    const spare = await EraClient.open(server.openLegacy);
    running()[0]?.exit();
    await spare.ended;
  });

  it('ends the output of a server that does not stop writing, so that the server can end', async () => {
    const { promise: isDrained, resolve } = Promise.withResolvers<void>();
    const endless = {
      received: (async function* () {
        try {
          for (;;) {
            await new Promise((tick) => setImmediate(tick));
            yield '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
          }
        } finally {
          resolve();
        }
      })(),
      send: () => Promise.resolve(),
      close: () => isDrained,
    };
    const server = translateEras(() => Promise.resolve(endless), {
      version: '0.0.0',
      limits: {},
      logger: createRecordingLogger(),
      clock: () => new Date(),
    });
    const client = await EraClient.open(server.openLegacy);
    await client.connection.close();
    await server.close();
  });
});
