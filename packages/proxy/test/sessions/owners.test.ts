import type { ServerBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { type Answer, Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { as, namedCallers } from '../support/named-callers.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';

const CALL = { id: 'c', method: 'tools/call', params: { name: 'plain', arguments: {} } };
const OWNER = 'ada@one.example';
const STRANGERS = ['bob@one.example', 'ada@two.example', ''];
const WATCHES: TestProxyOptions = {
  middleware: [{ name: 'watches', placed: 'observe', instance: { onMessage: () => undefined } }],
};

describe('session of an authenticated caller (F05)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function startHttp(handle: Handle): Promise<HttpBackendUnderTest> {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    return backend;
  }

  const stdio = (sessions: 'own' | 'shared', mode: 'sse' | 'streamable-http'): ServerBackend =>
    new ScriptedServers({ received: speak }).backend({ mode, sessions });
  const http = async (isRemote: boolean): Promise<ServerBackend> => ({
    carries: 'http',
    transport: 'streamable-http',
    target: (await startHttp(speakHttp)).url,
    isRemote,
  });

  const rows: readonly {
    readonly title: string;
    readonly backend: () => Promise<ServerBackend>;
    readonly options?: TestProxyOptions;
  }[] = [
    { title: 'one process for each session', backend: async () => stdio('own', 'streamable-http') },
    { title: 'a shared process', backend: async () => stdio('shared', 'streamable-http') },
    { title: 'an HTTP server', backend: () => http(false) },
    { title: 'a remote', backend: () => http(true) },
    { title: 'an HTTP server with a policy', backend: () => http(false), options: WATCHES },
  ];
  for (const { title, backend, options = {} } of rows) {
    it(`is unknown to other callers over streamable HTTP: ${title}`, async () => {
      const { url } = await proxies.open(await backend(), { ...options, authProvider: namedCallers });
      const begun = await new McpClient(url).post(initialize(), { headers: as(OWNER) });
      const session = String(begun.headers['mcp-session-id']);
      const client = new McpClient(url, session);
      for (const stranger of STRANGERS) {
        const headers = { 'Mcp-Session-Id': session, ...as(stranger) };
        const posted = await client.post(CALL, { headers: as(stranger) });
        expect([posted.status, posted.json.id, posted.json.error.code]).to.deep.equal([404, 'c', -32001]);
        const listened = await send(url, { headers: { Accept: 'text/event-stream', ...headers } });
        const ended = await send(url, { method: 'DELETE', headers });
        expect([listened.status, ended.status]).to.deep.equal([404, 404]);
      }
      const unknown = await new McpClient(url, 'nobodys').post(CALL, { headers: as(OWNER) });
      expect([unknown.status, unknown.json.error.code]).to.deep.equal([404, -32001]);
      expect((await client.post(CALL, { headers: as(OWNER) })).status).to.equal(200);
    });
  }

  const events: Handle = ({ method }, response) => {
    if (method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session_id=7\n\n');
    } else response.writeHead(202).end('Accepted');
  };
  const overEvents: typeof rows = [
    { title: 'one process for each session', backend: async () => stdio('own', 'sse') },
    {
      title: 'an HTTP+SSE server',
      backend: async () => ({
        carries: 'http',
        transport: 'sse',
        target: (await startHttp(events)).url,
        isRemote: false,
      }),
    },
    {
      title: 'an HTTP+SSE server with a policy',
      backend: async () => ({
        carries: 'http',
        transport: 'sse',
        target: (await startHttp(events)).url,
        isRemote: false,
      }),
      options: WATCHES,
    },
  ];
  for (const { title, backend, options = {} } of overEvents) {
    it(`is unknown to other callers over HTTP+SSE: ${title}`, async () => {
      const { url } = await proxies.open(await backend(), { ...options, authProvider: namedCallers });
      const stream = new Events(
        await openRequest(url, { headers: { Accept: 'text/event-stream', ...as(OWNER) } }),
      );
      const endpoint = await eventually(() => {
        const [first] = stream.all;
        if (first === undefined) throw new Error('no endpoint');
        return new URL(first.data, url);
      });
      const post = (who: string): Promise<Answer> =>
        send(endpoint, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...as(who) },
          body: JSON.stringify({ jsonrpc: '2.0', ...initialize() }),
        });
      for (const stranger of STRANGERS) expect((await post(stranger)).status, stranger).to.equal(404);
      expect((await post(OWNER)).status).to.equal(202);
      stream.leave();
      await eventually(async () => expect((await post(OWNER)).status).to.equal(404));
    });
  }
});
