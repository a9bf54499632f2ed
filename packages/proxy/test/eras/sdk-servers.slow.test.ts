import type { OpenConnection, ServerConnection } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type EraLimits, translateEras, type TranslatedServer } from '../../src/server/eras/eras.ts';
import { ChildConnection } from '../support/child-connection.ts';
import { STDIO_PROGRAM } from '../support/conformance/stdio-program.ts';
import { EraClient, modernParams } from '../support/era-client.ts';

describe('translateEras with servers of the official SDKs', function () {
  this.timeout(30_000);
  let open = 0;
  const servers: TranslatedServer[] = [];

  function translate(era: 'legacy' | 'modern', limits: Partial<EraLimits> = {}): TranslatedServer {
    const start: OpenConnection = async () => count(new ChildConnection(process.execPath, [...PROGRAM, era]));
    const server = translateEras(start, {
      version: '0.0.0',
      limits: { probeMs: 20_000, ...limits },
      logger: createRecordingLogger(),
      clock: () => new Date(),
    });
    servers.push(server);
    return server;
  }

  function count(connection: ServerConnection): ServerConnection {
    open += 1;
    let isClosed = false;
    return {
      received: connection.received,
      send: (message) => connection.send(message),
      close: async () => {
        if (!isClosed) open -= 1;
        isClosed = true;
        await connection.close();
      },
    };
  }

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    expect(open).to.equal(0);
  });

  it('responds to the handshake of a Legacy client with the discovery of a Modern server', async () => {
    const client = await EraClient.open(translate('modern').openLegacy);
    const { result } = await client.greet({ elicitation: {} });
    expect(result.protocolVersion).to.equal('2025-11-25');
    expect(result.serverInfo.name).to.be.a('string');
    const { result: list } = await client.request('tools/list');
    expect(list.tools.length).to.be.greaterThan(5);
    expect(list).to.not.have.any.keys('resultType', 'ttlMs', 'cacheScope');
    expect((await client.request('ping')).result).to.deep.equal({});
  });

  it('sends the elicitation of a Modern server to the Legacy client as a request', async () => {
    const client = await EraClient.open(translate('modern').openLegacy);
    await client.greet({ elicitation: {} });
    const called = client.request('tools/call', {
      name: 'test_input_required_result_elicitation',
      arguments: {},
    });
    const asked = await client.got('elicitation/create');
    await client.send({ id: asked.id, result: { action: 'accept', content: { name: 'Ada' } } });
    const { result } = await called;
    expect(JSON.stringify(result.content)).to.include('Ada');
    expect(result).to.not.have.property('resultType');
  });

  it('serves a Modern client from a Legacy server', async () => {
    const client = await EraClient.open(translate('legacy').openModern);
    const { result } = await client.request('server/discover', modernParams());
    expect(result.supportedVersions).to.deep.equal(['2026-07-28']);
    expect(result.resultType).to.equal('complete');
    const { result: list } = await client.request('tools/list', modernParams());
    expect(list).to.include({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    const { error } = await client.request('resources/read', modernParams({ uri: 'test://absent' }));
    expect(error.code).to.equal(-32602);
  });

  it('holds a call of a Modern client while a Legacy server waits for input', async () => {
    const client = await EraClient.open(translate('legacy').openModern);
    const call = { name: 'test_elicitation', arguments: { message: 'Who are you?' } };
    const { result } = await client.request('tools/call', modernParams(call, { elicitation: {} }));
    expect(result.resultType).to.equal('input_required');
    const [[key, request]] = Object.entries<{ method: string }>(result.inputRequests) as [
      [string, { method: string }],
    ];
    expect(request.method).to.equal('elicitation/create');
    const inputResponses = { [key]: { action: 'accept', content: { response: 'Ada' } } };
    const retry = { ...call, inputResponses, requestState: result.requestState };
    const { result: done } = await client.request('tools/call', modernParams(retry, { elicitation: {} }));
    expect(JSON.stringify(done.content)).to.include('Ada');
    expect(done.resultType).to.equal('complete');
  });
});

const PROGRAM = ['--conditions=@portolan/source', STDIO_PROGRAM];
