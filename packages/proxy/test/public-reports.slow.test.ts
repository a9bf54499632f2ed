import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { HttpBackend, ServerBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ChildConnection } from './support/child-connection.ts';
import { open, send } from './support/http-client.ts';
import { Proxies } from './support/proxy-under-test.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'report', version: '1.0.0' },
  },
};
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A server on standard input and output that writes lines of text to its output, as some loggers do. */
const NOISY = `
console.log('INFO     [telemetry] Anonymized telemetry enabled.');
console.log('\\u{1F680} Azure DevOps MCP Server version : 1.2.3');
console.log('{"level":"info","msg":"a log line in JSON"}');
console.log('[1, 2]');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  console.log('request: ' + method);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'noisy', version: '1' } }
    : { tools: [{ name: 'count', inputSchema: { type: 'object' } }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

/** Returns a server with a counter of its own for each session; `grow` adds a tool. */
function countingServer(): McpServer {
  const server = new McpServer({ name: 'counter', version: '1.0.0' });
  const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });
  let count = 0;
  server.registerTool('count', {}, () => text((count += 1)));
  server.registerTool('long', {}, () => text('x'.repeat(12 * 1024 * 1024)));
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', {}, () => text('grown'));
    return text('done');
  });
  return server;
}

describe('publicly reported faults of MCP runners and gateways', () => {
  const proxies = new Proxies();
  const clients: Client[] = [];
  const transports = new Map<string, StreamableHTTPServerTransport>();
  let server: HttpServer;
  let url: URL;

  beforeEach(async () => {
    server = createServer(async (request, response) => {
      const body = request.method === 'POST' ? await json(request) : undefined;
      const session = request.headers['mcp-session-id'];
      const known = typeof session === 'string' ? transports.get(session) : undefined;
      if (known !== undefined) return await known.handleRequest(request, response, body);
      if (session !== undefined) return response.writeHead(404).end();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      await countingServer().connect(transport);
      return await transport.handleRequest(request, response, body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server has such an address
    const backend: HttpBackend = {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL(`http://127.0.0.1:${port}/mcp`),
      isRemote: false,
    };
    ({ url } = await proxies.open(backend, { transport: 'streamable-http' }));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await proxies.close();
    transports.clear();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  async function connect(): Promise<Client> {
    const client = new Client({ name: 'report', version: '1.0.0' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(url));
    return client;
  }

  const textOf = async (client: Client, name: string): Promise<string> => {
    const { content } = await client.callTool({ name });
    const [first] = content as readonly { readonly text: string }[];
    return first?.text ?? '';
  };

  it('mcp-context-forge 4205, toolhive 2114: keeps the state of each session over several calls', async () => {
    const [one, other] = [await connect(), await connect()];
    const counts = [
      await textOf(one, 'count'),
      await textOf(one, 'count'),
      await textOf(other, 'count'),
      await textOf(one, 'count'),
    ];
    expect(counts).to.deep.equal(['1', '2', '1', '3']);
  });

  it('desktop-linux 302, typescript-sdk 343: sends a list change only to its own session', async () => {
    const [one, other] = [await connect(), await connect()];
    const told: string[] = [];
    one.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push('one'));
    other.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push('other'));
    await textOf(one, 'grow');
    await eventually(() => expect(told).to.deep.equal(['one']));
    expect((await one.listTools()).tools).to.have.length(4);
    expect((await other.listTools()).tools).to.have.length(3);
    expect(told).to.deep.equal(['one']);
  });

  it('mcp-go 588: delivers a response of 12 MB', async () => {
    expect(await textOf(await connect(), 'long')).to.have.length(12 * 1024 * 1024);
  });

  it('opencode 37019: sends the server both media types when the client accepts everything', async () => {
    const hello = (accept: string) =>
      send(url, { method: 'POST', headers: { ...JSON_TYPE, Accept: accept }, body: JSON.stringify(HELLO) });
    expect(await hello('*/*')).to.have.property('status', 200);
    expect(await hello('application/json')).to.have.property('status', 406);
  });

  it('weaviate 12788: opens the stream of a session again after its client disconnected', async () => {
    const both = { Accept: 'application/json, text/event-stream' };
    const hello = await send(url, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...both },
      body: JSON.stringify(HELLO),
    });
    const session = { 'Mcp-Session-Id': String(hello.headers['mcp-session-id']) };
    for (let time = 0; time < 3; time += 1) {
      await eventually(async () => {
        const stream = await open(url, { headers: { ...session, Accept: 'text/event-stream' } });
        stream.destroy();
        expect(stream).to.have.property('statusCode', 200);
      });
    }
  });

  it('LibreChat 11869, mcp-gateway 813: responds with 404 to every method when the server has lost the session', async () => {
    await connect();
    const [session = ''] = transports.keys();
    transports.clear();
    const headers = { 'Mcp-Session-Id': session, Accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(await send(url, { headers })).to.have.property('status', 404);
    expect(await send(url, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body })).to.have.property(
      'status',
      404,
    );
  });

  async function openNoisy(): Promise<{ readonly url: URL; readonly processes: readonly ChildConnection[] }> {
    const processes: ChildConnection[] = [];
    const backend: ServerBackend = {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: async () => {
        const connection = new ChildConnection(process.execPath, ['-e', NOISY]);
        processes.push(connection);
        return connection;
      },
    };
    return { url: (await proxies.open(backend)).url, processes };
  }

  it('mcp-gateway 318: starts no process for calls in a session', async () => {
    const { url: noisy, processes } = await openNoisy();
    const client = new Client({ name: 'report', version: '1.0.0' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(noisy));
    await eventually(() => expect(processes, 'processes of the session, and the spare').to.have.length(2));
    await Promise.all(Array.from({ length: 20 }, () => client.listTools()));
    expect(processes).to.have.length(2);
  });

  it('claude-code 45368, composio 2152: responds in the only media type that the client accepts', async () => {
    const { url: noisy } = await openNoisy();
    for (const accept of ['application/json', 'text/event-stream']) {
      const headers = { ...JSON_TYPE, Accept: accept };
      const answer = await send(noisy, { method: 'POST', headers, body: JSON.stringify(HELLO) });
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.include(accept);
    }
  });

  it('browser-use 2748, azure-devops-mcp 147: ignores text that a server writes to standard output', async () => {
    const noisy = await openNoisy();
    const client = new Client({ name: 'report', version: '1.0.0' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(noisy.url));
    expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(['count']);
  });
});
