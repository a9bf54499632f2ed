import { once } from 'node:events';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import { begin, send } from './support/http-client.ts';
import { initialize, McpClient } from './support/mcp-client.ts';
import { Proxies } from './support/proxy-under-test.ts';
import { type Script, ScriptedServers } from './support/scripted-server.ts';

const LIST = { id: 1, method: 'tools/list' };

/**
 * Script of a server that completes handshakes, returns an empty list for `tools/list`, and never responds to
 * other requests.
 */
const ANSWERING: Script = {
  received: (message, server) => {
    if (message.method === 'initialize') server.greet(message);
    else if (message.method === 'tools/list') server.say({ id: message.id, result: { tools: [] } });
  },
};

describe('openProxy with a stateless server (--stateless)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  describe('on standard input and output', () => {
    async function open(script: Script = ANSWERING) {
      const servers = new ScriptedServers(script);
      const backend = servers.backend({ sessions: 'shared' });
      return { ...(await proxies.open(backend, { isStateless: true })), servers };
    }

    it('serves requests without a session, as in 2025-03-26 (A26)', async () => {
      const { url, servers, proxy } = await open();
      const answers = await Promise.all([1, '1', 2].map((id) => new McpClient(url).post({ ...LIST, id })));
      expect(answers.map(({ status, json }) => [status, json.id])).to.deep.equal([
        [200, 1],
        [200, '1'],
        [200, 2],
      ]);
      expect(servers.greeted).to.have.length(1);
      expect(proxy.stats).to.include({ sessions: 0, waiting: 0 });
    });

    it('issues no session id, and ignores one in a request', async () => {
      const { url, proxy } = await open();
      const greeted = await new McpClient(url).post(initialize());
      expect([greeted.status, greeted.json.result.protocolVersion]).to.deep.equal([200, '2025-06-18']);
      expect(greeted.headers).to.not.have.property('mcp-session-id');
      expect((await new McpClient(url, 'somebody').post(LIST)).status).to.equal(200);
      expect(proxy.stats.sessions).to.equal(0);
    });

    it('refuses GET and DELETE (E21)', async () => {
      const { url } = await open();
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        const answer = await send(url, {
          method,
          headers: { 'Mcp-Session-Id': 'a', Accept: 'text/event-stream' },
        });
        expect([method, answer.status, answer.headers.allow]).to.deep.equal([method, 405, 'POST']);
      }
    });

    it('responds with 202 to notifications', async () => {
      const { url } = await open();
      for (const message of [{ method: 'notifications/initialized' }, { id: 7, result: {} }]) {
        expect((await new McpClient(url).post(message)).status).to.equal(202);
      }
    });

    it('splits batches without a newer version header', async () => {
      const { url } = await open();
      const batch = [LIST, { ...LIST, id: 2 }].map((message) => ({ jsonrpc: '2.0', ...message }));
      const answer = await new McpClient(url).post(batch);
      expect(answer.json.map(({ id }: { id: unknown }) => id)).to.have.members([1, 2]);
      const newer = await new McpClient(url).post(batch, {
        headers: { 'MCP-Protocol-Version': '2025-11-25' },
      });
      expect(newer.status).to.equal(400);
    });

    it('sends events without ids, because streams are not resumable', async () => {
      const { url, servers } = await open({
        received: (message, server) => {
          if (message.method === 'initialize') server.greet(message);
          if (message.method !== 'tools/call') return;
          const { progressToken } = message.params['_meta'];
          server.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
          server.say({ id: message.id, result: {} });
        },
      });
      const stream = await new McpClient(url).stream({
        id: 1,
        method: 'tools/call',
        params: { name: 'a', _meta: { progressToken: 't' } },
      });
      await stream.over();
      expect(stream.messages.map(({ id, method }) => id ?? method)).to.deep.equal([
        'notifications/progress',
        1,
      ]);
      expect(stream.all.map(({ id }) => id)).to.deep.equal([undefined, undefined]);
      expect(servers.greeted).to.have.length(1);
    });

    it('cancels the request at the server when the client disconnects', async () => {
      const { url, servers } = await open();
      const leaving = begin(url, { headers: new McpClient(url).headers() });
      leaving.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } }));
      await eventually(() => expect(servers.greeted).to.have.length(1));
      const server = servers.greeted[0];
      const call = await server?.got('tools/call');
      leaving.destroy();
      const told = await server?.got('notifications/cancelled');
      expect(told?.params.requestId).to.equal(call?.id);
    });

    it('reports that the server refused initialize', async () => {
      const { url } = await open({
        received: ({ id }, server) => server.say({ id, error: { code: -32603, message: 'no' } }),
      });
      const answer = await new McpClient(url).post(LIST);
      expect([answer.status, answer.json.id]).to.deep.equal([503, 1]);
    });
  });

  describe('on HTTP', () => {
    async function open(more: object = {}) {
      const backend = await HttpBackendUnderTest.start((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'of-the-server' });
        response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
      });
      backends.push(backend);
      const behind = {
        carries: 'http',
        transport: 'streamable-http',
        target: backend.url,
        isRemote: false,
      } as const;
      return { ...(await proxies.open(behind, { isStateless: true, ...more })), backend };
    }

    it('forwards only POST, without a session id (E21)', async () => {
      const { url, backend } = await open();
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        const answer = await send(url, { method });
        expect([method, answer.status, answer.headers.allow]).to.deep.equal([method, 405, 'POST']);
      }
      expect(backend.received).to.deep.equal([]);
      const answer = await new McpClient(url, 'mine').post(LIST);
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.not.have.property('mcp-session-id');
      expect(backend.received[0]?.headers).to.not.have.property('mcp-session-id');
    });

    it('checks the health by POST', async () => {
      const { url, backend } = await open({
        limits: { health: { intervalMs: 5, pingMs: 1000, retryMs: 5, failures: 5 } },
      });
      await new McpClient(url).post(LIST);
      const ping = await eventually(() => {
        const found = backend.received[1];
        if (found === undefined) throw new Error('nobody asked');
        return found;
      });
      expect([ping.method, JSON.parse(String(ping.body)).method]).to.deep.equal(['POST', 'ping']);
      await eventually(async () => {
        const { json } = await send(new URL('/health', url));
        expect(json.mcp.available).to.equal(true);
      });
      await once(backend.server, 'request');
    });
  });
});
