import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Client as NewClient,
  SSEClientTransport as NewEvents,
  StreamableHTTPClientTransport as NewStreamable,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { AuthProvider, ProxyMiddleware, ServerBackend } from '@portolan/plugin-api';
import { createTestProxyContext } from '@portolan/plugin-testing';
import { cedarAuthorization } from '@portolan/proxy-authorization-cedar';
import { rateLimit } from '@portolan/proxy-rate-limit';
import { toolFilter } from '@portolan/proxy-tool-filter';
import { expect } from 'chai';
import { StdioClientUnderTest } from '../../support/front-under-test.ts';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';

interface Asked {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const ADA: AuthProvider = {
  verify: (_ctx, next) => next(),
  identify: () => ({ subject: 'ada', claims: {} }),
};
const TOOLS = ['echo', 'refund', 'hidden'].map((name) => ({ name, inputSchema: { type: 'object' } }));

/** Returns the response of a server of the older revisions. Undefined for a notification. */
function responseTo({ id, method, params }: Asked): object | undefined {
  if (id === undefined) return undefined;
  if (method === 'server/discover') return { id, error: { code: -32601, message: 'Method not found' } };
  if (method === 'initialize') {
    const serverInfo = { name: 's', version: '1' };
    return { id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { id, result: { tools: TOOLS } };
  return { id, result: { content: [{ type: 'text', text: `called ${params?.name}` }] } };
}

const withVersion = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

/** The part of both SDKs' clients that the tests use. */
interface SdkClient {
  callTool(call: { readonly name: string }): Promise<object>;
  close(): Promise<void>;
}

const SDKS: readonly (readonly [title: string, connect: (url: URL) => Promise<SdkClient>])[] = [
  [
    'TypeScript SDK v1',
    async (url) => {
      const client = new Client({ name: 'test', version: '1' });
      const isEvents = url.pathname === '/sse';
      await client.connect(isEvents ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url));
      return { callTool: (call) => client.callTool({ ...call }), close: () => client.close() };
    },
  ],
  [
    'TypeScript SDK v1 over `portolan proxy stdio`',
    async (url) => {
      const transport = url.pathname === '/sse' ? 'sse' : 'streamable-http';
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StdioClientUnderTest({ url, transport }).transport());
      return { callTool: (call) => client.callTool({ ...call }), close: () => client.close() };
    },
  ],
  [
    'TypeScript SDK v2, which tries server/discover first',
    async (url) => {
      const versionNegotiation = { mode: 'auto' } as const;
      const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation });
      await client.connect(url.pathname === '/sse' ? new NewEvents(url) : new NewStreamable(url));
      return { callTool: (call) => client.callTool({ ...call }), close: () => client.close() };
    },
  ],
];

describe('a denied request', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  const instances: ProxyMiddleware[] = [];
  const clients: SdkClient[] = [];
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-denied-'));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await proxies.close();
    for (const instance of instances.splice(0)) await instance.close?.();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
    await rm(folder, { recursive: true, force: true });
  });

  async function middlewareFor(transport: string) {
    const given = createTestProxyContext();
    const directory = path.join(folder, 'kept');
    const context = { ...given, workload: { ...given.workload, transport, directory } };
    const cedar = {
      policies: ['permit(principal, action == Action::"call_tool", resource == Tool::"echo");'],
      entities_json: '',
      group_claim_name: '',
      role_claim_name: '',
      group_entity_type: 'THVGroup',
      multi_valued_claims: [],
      primary_upstream_provider: '',
    };
    const config = { version: '1.0', type: 'cedarv1', cedar } as const;
    const limits = {
      methods: ['tools/call'],
      tools: [{ name: 'echo', shared: { maxTokens: 2, refillPeriod: '1h' } }],
    };
    const made = [
      ['tool-filter', 'names', await toolFilter.create({ tools: ['echo', 'refund'], override: {} }, context)],
      ['rate-limit', 'limit', await rateLimit.create(limits, context)],
      ['cedar', 'authorize', await cedarAuthorization.create(config, context)],
    ] as const;
    instances.push(...made.map(([, , instance]) => instance));
    return made.map(([name, placed, instance]) => ({ name, placed, instance }));
  }

  async function open(backend: ServerBackend): Promise<URL> {
    const transport = backend.carries === 'http' ? backend.transport : 'stdio';
    const middleware = await middlewareFor(transport);
    return (await proxies.open(backend, { middleware, authProvider: ADA })).url;
  }

  const scripted = (): ScriptedServers =>
    new ScriptedServers({
      received: (message, server) => {
        const response = responseTo(message);
        if (response !== undefined) server.say(response);
      },
    });

  async function streamableServer(): Promise<URL> {
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      const said = method === 'POST' ? responseTo(JSON.parse(body.toString())) : undefined;
      if (method !== 'POST') response.writeHead(405).end();
      else if (said === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(withVersion(said));
    });
    backends.push(backend);
    return new URL('/mcp', backend.url);
  }

  /** HTTP+SSE server with one session. Its events end with CR LF, which the proxy may not split. */
  async function eventsServer(): Promise<URL> {
    let stream: ServerResponse | undefined;
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method === 'GET') {
        stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.write('event: endpoint\r\ndata: /messages?session_id=7\r\n\r\n');
        return;
      }
      response.writeHead(202).end('Accepted');
      const said = responseTo(JSON.parse(body.toString()));
      if (said !== undefined) stream?.write(`event: message\r\ndata: ${withVersion(said)}\r\n\r\n`);
    });
    backends.push(backend);
    return new URL('/sse', backend.url);
  }

  const http = (target: URL, transport: 'sse' | 'streamable-http', isRemote = false): ServerBackend => ({
    carries: 'http',
    transport,
    target,
    isRemote,
  });

  const SERVERS: readonly (readonly [title: string, start: () => Promise<ServerBackend>])[] = [
    ['a stdio server', async () => scripted().backend()],
    ['a stdio server with --proxy-mode sse', async () => scripted().backend({ mode: 'sse' })],
    [
      'a container that speaks streamable HTTP',
      async () => http(await streamableServer(), 'streamable-http'),
    ],
    ['a container that speaks HTTP+SSE', async () => http(await eventsServer(), 'sse')],
    ['a remote', async () => http(await streamableServer(), 'streamable-http', true)],
    ['a remote that speaks HTTP+SSE', async () => http(await eventsServer(), 'sse', true)],
  ];

  for (const [server, start] of SERVERS) {
    for (const [sdk, connect] of SDKS) {
      it(`returns a protocol error and keeps the session: ${server}, ${sdk} (world F3, F4, F7)`, async () => {
        const client = await connect(await open(await start()));
        clients.push(client);
        const call = (name: string) => client.callTool({ name });
        const errorOf = async (name: string): Promise<object> =>
          await call(name).then(
            () => expect.fail(`${name} was served`),
            (error: unknown) => Object(error),
          );
        expect(JSON.stringify(await call('echo'))).to.include('called echo');
        const denied = await errorOf('refund');
        expect(denied).to.have.property('code', 403);
        expect(denied).to.have.property('message').that.includes('Unauthorized');
        expect(denied).to.have.nested.property('data.denialId').that.is.a('string');
        const hidden = await errorOf('hidden');
        expect(hidden).to.have.property('code', -32602);
        expect(hidden).to.have.property('message').that.includes('tool not found');
        expect(JSON.stringify(await call('echo'))).to.include('called echo');
        const limited = await errorOf('echo');
        expect(limited).to.have.property('code', 429);
        expect(limited).to.have.nested.property('data.retryAfterSeconds').that.is.a('number');
        if (sdk.startsWith('TypeScript SDK v1')) expect(denied).to.be.instanceOf(McpError);
      });
    }
  }
});
