import { eventually } from '@portolan/plugin-testing';
import type {
  ResponseHead,
  ClientProgram,
  ClientRequest,
  ProxyMiddleware,
  RequestEnd,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { McpClient } from '../support/mcp-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';
import { Events, open, send } from '../support/http-client.ts';

const call = (name: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

interface Ended {
  readonly end: RequestEnd;
  readonly request: ClientRequest;
  readonly program: ClientProgram | undefined;
}

describe('observing middleware', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  let ended: Ended[];
  let begun: ResponseHead[];
  beforeEach(() => {
    ended = [];
    begun = [];
  });
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const observer: ProxyMiddleware = {
    onResponseHead: (begin) => void begun.push(begin),
    onEnd: (end, request) => void ended.push({ end, request, program: request.program }),
  };
  const refuser: ProxyMiddleware = {
    onMessage: (message) =>
      message.kind === 'request' && message.params?.['name'] === 'forbidden'
        ? { refuse: { message: 'Not here.', data: { denial: 'd-1' } } }
        : undefined,
    onResponse: ({ kind }, { message }) =>
      kind === 'response' && message?.kind === 'request' && message.params?.['name'] === 'hidden'
        ? Promise.resolve({ refuse: { message: 'Nothing to see.', status: 451 } })
        : undefined,
  };
  const middleware = [
    { name: 'observer', placed: 'observe', instance: observer },
    { name: 'refuser', placed: 'authorize', instance: refuser },
  ] as const;

  async function openStdio(
    mode: 'streamable-http' | 'sse' = 'streamable-http',
    script: Script = { received: speak },
  ) {
    const servers = new ScriptedServers(script);
    const backend = servers.backend({ mode });
    return (await proxies.open(backend, { middleware })).url;
  }

  async function openHttp() {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const target = backend.url;
    const options = { middleware };
    return (
      await proxies.open({ carries: 'http', transport: 'streamable-http', target, isRemote: false }, options)
    ).url;
  }

  const ofCall = (name: string) =>
    eventually(() => {
      const found = ended.find(({ end }) =>
        end.messages.some((one) => one.kind === 'request' && one.params?.['name'] === name),
      );
      if (found === undefined) throw new Error(`no call of ${name} has ended`);
      return found;
    });

  for (const [title, openUrl] of [
    ['a stdio server', () => openStdio()],
    ['an HTTP server', openHttp],
  ] as const) {
    describe(`with ${title}`, () => {
      it('gets the size of a response, in JSON and as a stream', async () => {
        const client = await McpClient.connect(await openUrl());
        const json = await client.post(call('plain'), { accept: 'application/json' });
        expect((await ofCall('plain')).end).to.include({
          status: 200,
          responseBytes: Buffer.byteLength(json.text),
          refusedWith: undefined,
        });
        const response = await open(client.url, {
          method: 'POST',
          headers: client.headers({ accept: 'text/event-stream' }),
          body: JSON.stringify(call('told', 2)),
        });
        let bytes = 0;
        response.on('data', (chunk: Buffer | string) => (bytes += Buffer.byteLength(chunk)));
        const { responseBytes } = (await ofCall('told')).end;
        expect(responseBytes).to.be.greaterThan(100);
        await eventually(() => expect(bytes).to.equal(responseBytes));
      });

      it('gets a refusal with the data that the client got', async () => {
        const client = await McpClient.connect(await openUrl(), { version: '2025-03-26' });
        await client.post(call('forbidden', 'x'));
        const refusal = {
          code: 'ERR_POLICY_REFUSED',
          status: 403,
          error: { code: 403, message: 'Not here.', data: { denial: 'd-1' } },
        };
        const alone = await ofCall('forbidden');
        expect(alone.end).to.include({ status: 200, refusedWith: 'ERR_POLICY_REFUSED' });
        expect(alone.end.refusals).to.deep.equal([{ id: '"x"', ...refusal }]);
        ended.length = 0;
        await client.post(JSON.stringify([call('plain', 1), call('forbidden', 2)]));
        const batch = (await ofCall('forbidden')).end;
        expect(batch).to.include({ status: 200 });
        expect(batch.messages).to.have.length(2);
        expect(batch.refusals).to.deep.equal([{ id: '2', ...refusal }]);
      });

      it('gets a refused response once, in JSON, as a stream and in a batch', async () => {
        const client = await McpClient.connect(await openUrl(), { version: '2025-03-26' });
        const refusal = {
          id: '"h"',
          code: 'ERR_POLICY_REFUSED',
          status: 451,
          error: { code: 403, message: 'Nothing to see.' },
        };
        const hidden = call('hidden', 'h');
        const bodies = [
          [JSON.stringify(hidden), 'application/json'],
          [JSON.stringify(hidden), 'text/event-stream, application/json'],
          [JSON.stringify([hidden, call('plain', 2)]), 'application/json'],
        ] as const;
        for (const [body, accept] of bodies) {
          ended.length = 0;
          const answer = await client.post(body, { accept });
          expect(answer.text).to.include('Nothing to see.');
          expect((await ofCall('hidden')).end.refusals, accept).to.deep.equal([refusal]);
        }
      });

      it('gets requests that are refused before their body is read, and the message of a request that is refused later', async () => {
        const client = new McpClient(await openUrl());
        await client.post(call('plain'), { headers: { Origin: 'https://evil.example' } });
        await eventually(() => expect(ended[0]?.end.refusals[0]?.code).to.equal('ERR_ORIGIN_NOT_ALLOWED'));
        expect(ended[0]?.end.messages).to.deep.equal([]);
        await client.post(call('plain'), { headers: { 'MCP-Protocol-Version': '2026-07-28' } });
        const { end } = await ofCall('plain');
        expect(end.refusals).to.have.length(1);
        expect(end.refusals[0]).to.include({ id: '1', status: 400 });
      });

      it('gets the beginning of a response, and whether it is a stream', async () => {
        const client = await McpClient.connect(await openUrl());
        begun.length = 0;
        await client.post(call('plain'), { accept: 'application/json' });
        await (await client.stream(call('told', 2), { accept: 'text/event-stream' })).over();
        const standing = await client.listen();
        expect(
          begun.map(({ status, isStream, messages }) => [status, isStream, messages.length]),
        ).to.deep.equal([
          [200, false, 1],
          [200, true, 1],
          [200, true, 0],
        ]);
        standing.leave();
      });

      it('G01: gets the name of the client program from its session', async () => {
        const url = await openUrl();
        const client = await McpClient.connect(url);
        await client.post(call('plain'));
        const expected = { name: 'test', version: '1', revision: '2025-06-18' };
        expect((await ofCall('plain')).program).to.deep.equal(expected);
        ended.length = 0;
        await new McpClient(url, 'another').post(call('plain'));
        expect((await ofCall('plain')).program).to.equal(undefined);
        // The HTTP server gives every session the same id.
        if (title !== 'a stdio server') return;
        ended.length = 0;
        const liar = {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'liar', version: '1' },
        };
        await client.post({ id: 'i', method: 'initialize', params: liar });
        await client.post(call('plain'));
        expect((await ofCall('plain')).program, 'of a session that somebody else has named').to.deep.equal(
          expected,
        );
      });
    });
  }

  it('G01: gets the name of the client program from the request of a client without a handshake', async () => {
    const script = modernScript({ received: ({ id }, server) => server.say({ id, result: {} }) });
    const client = new ModernClient(await openStdio('streamable-http', script));
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'n'.repeat(300), version: 7 } };
    await client.post({ method: 'tools/list', meta });
    await eventually(() =>
      expect(ended[0]?.program).to.deep.equal({
        name: 'n'.repeat(256),
        version: undefined,
        revision: '2026-07-28',
      }),
    );
  });

  it('gets the failure of a process, for every form of response', async () => {
    const script: Script = {
      received: (message, server) =>
        message.method === 'tools/call' ? server.exit() : speak(message, server),
    };
    const client = await McpClient.connect(await openStdio('streamable-http', script));
    await client.post(call('plain'), { accept: 'application/json' });
    const { refusals } = (await ofCall('plain')).end;
    expect(refusals.map(({ id, error }) => [id, error.code])).to.deep.equal([['1', -32603]]);
  });

  it('gets the name of the client program from the message address of an HTTP+SSE client', async () => {
    const url = await openStdio('sse');
    const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
    const endpoint = await eventually(() => {
      const [first] = events.all;
      if (first === undefined) throw new Error('no endpoint yet');
      return new URL(first.data, url);
    });
    const post = (message: object) =>
      send(endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    await post({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '2' } },
    });
    await events.got(({ id }) => id === 0);
    await post(call('plain'));
    expect((await ofCall('plain')).program).to.include({ name: 'old', version: '2' });
    events.leave();
  });
});
