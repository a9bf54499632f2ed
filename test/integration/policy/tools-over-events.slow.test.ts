import type { ServerResponse } from 'node:http';
import type { ServerBackend } from '@portolan/plugin-api';
import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { toolFilter } from '@portolan/proxy-tool-filter';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Events, open as openRequest, send } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';

const TOOLS = [
  { name: 'fetch_url', inputSchema: {} },
  { name: 'hidden_tool', inputSchema: {} },
];
const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

interface Asked {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

function answerOf({ id, method, params }: Asked): object | undefined {
  if (method === 'initialize') {
    return {
      id,
      result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 's', version: '1' } },
    };
  }
  if (method === 'tools/list') return { id, result: { tools: TOOLS } };
  return method === 'tools/call' ? { id, result: { content: [], called: params?.name } } : undefined;
}

const event = (message: object): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

describe('--tools and --tools-override on event streams of sessions', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(backend: ServerBackend, transport: string) {
    const context = createTestProxyContext();
    const instance = await toolFilter.create(
      { tools: ['web_get'], override: { fetch_url: { name: 'web_get' } } },
      { ...context, workload: { ...context.workload, transport } },
    );
    return await proxies.open(backend, { middleware: [{ name: 'tool-filter', placed: 'names', instance }] });
  }

  const ways = [
    {
      title: 'of a server that speaks HTTP with server-sent events',
      start: async () => {
        let stream: ServerResponse | undefined;
        const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
          if (method === 'GET') {
            stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
            stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
            return;
          }
          response.writeHead(202).end('Accepted');
          const answer = answerOf(JSON.parse(body.toString()));
          if (answer !== undefined) stream?.write(event(answer));
        });
        backends.push(backend);
        return await open({ carries: 'http', transport: 'sse', target: backend.url, isRemote: false }, 'sse');
      },
    },
    {
      title: 'of a server on standard input and output, with --proxy-mode sse',
      start: async () => {
        const servers = new ScriptedServers({
          received: (message, server) => {
            const answer = answerOf(message);
            if (answer !== undefined) server.say(answer);
          },
        });
        return await open(servers.backend({ mode: 'sse' }), 'stdio');
      },
    },
  ];
  for (const { title, start } of ways) {
    it(`E09: ${title}: filters lists, renames calls, and reports hidden tools on the stream`, async () => {
      const { url, origin } = await start();
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const endpoint = await eventually(() => {
        const found = events.all.find(({ event: type }) => type === 'endpoint');
        expect(found).not.to.equal(undefined);
        return new URL(found?.data ?? '', origin);
      });
      const post = (message: object) =>
        send(endpoint, {
          method: 'POST',
          headers: TYPE,
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      await post(initialize('2024-11-05'));
      await events.got(({ id }) => id === 'init');
      expect((await post({ id: 1, method: 'tools/list' })).status).to.equal(202);
      const { result } = await events.got(({ id }) => id === 1);
      expect(result.tools).to.deep.equal([{ name: 'web_get', inputSchema: {} }]);
      await post({ id: 2, method: 'tools/call', params: { name: 'web_get' } });
      expect((await events.got(({ id }) => id === 2)).result.called).to.equal('fetch_url');
      for (const name of ['fetch_url', 'hidden_tool', 'nobody']) {
        const { status, text } = await post({ id: name, method: 'tools/call', params: { name } });
        expect([status, text], name).to.deep.equal([202, 'Accepted']);
        expect(await events.got(({ id }) => id === name)).to.deep.equal({
          jsonrpc: '2.0',
          id: name,
          error: { code: -32602, message: 'tool not found' },
        });
      }
      const told = events.messages.filter(({ id }) => id !== 'hidden_tool');
      expect(JSON.stringify(told)).not.to.include('hidden_tool');
      events.leave();
    });
  }

  for (const other of ['/messages?session_id=7&x', '/messages?session_id=%37', '/Messages?session_id=7'])
    it(`E09: filters the response to a list request to ${other} that reuses a pending request ID`, async () => {
      let stream: ServerResponse | undefined;
      const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
        if (method === 'GET') {
          stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
          return;
        }
        response.writeHead(202).end('Accepted');
        // An abandoned call gets no response.
        const asked: Asked = JSON.parse(body.toString());
        const answer = asked.method === 'tools/call' ? undefined : answerOf(asked);
        if (answer !== undefined) stream?.write(event(answer));
      });
      backends.push(backend);
      const { url, origin } = await open(
        { carries: 'http', transport: 'sse', target: backend.url, isRemote: false },
        'sse',
      );
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      await eventually(() =>
        expect(events.all.some(({ event: type }) => type === 'endpoint')).to.equal(true),
      );
      const post = (path: string, message: object) =>
        send(new URL(path, origin), {
          method: 'POST',
          headers: TYPE,
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      const own = '/messages?session_id=7';
      const called = await post(own, { id: 1, method: 'tools/call', params: { name: 'web_get' } });
      expect(called.status).to.equal(202);
      await post(own, { method: 'notifications/cancelled', params: { requestId: 1 } });
      const { status, json } = await post(other, { id: 1, method: 'tools/list' });
      await post(own, { id: 2, method: 'tools/list' });
      await events.got(({ id }) => id === 2);
      expect(JSON.stringify(events.messages)).not.to.include('hidden_tool');
      expect([status, json?.id, json?.error?.code]).to.deep.equal([404, 1, -32001]);
      events.leave();
    });

  it('E09: filters the list on a resumed stream', async () => {
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method === 'GET') {
        const answers = [9, 9, 10].map((id) => answerOf({ id, method: 'tools/list' }));
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.end(answers.map((answer) => event(answer ?? {})).join(''));
        return;
      }
      const message: Asked = JSON.parse(body.toString());
      if (message.method === 'tools/list') {
        // The stream ends before the response.
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('id: 1\ndata: \n\n');
        return;
      }
      const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's' };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', ...answerOf(message) }));
    });
    backends.push(backend);
    const { url } = await open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      'streamable-http',
    );
    const client = await McpClient.connect(url);
    await (await client.stream({ id: 9, method: 'tools/list' })).over();
    const resumed = await client.listen({ 'Last-Event-ID': '1' });
    await resumed.over();
    expect(resumed.messages).to.deep.equal([
      { jsonrpc: '2.0', id: 9, result: { tools: [{ name: 'web_get', inputSchema: {} }] } },
    ]);
  });
});
