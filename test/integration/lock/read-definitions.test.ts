import type { ServerResponse } from 'node:http';
import { OWN_REQUEST_HEADER, OwnRequests } from '@portolan/mcp-protocol';
import type { AuthProvider, ServerBackend } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { type OpenProxy, openProxy, type PlacedProxyMiddleware } from '@portolan/proxy';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import {
  ScriptedServers,
  type ScriptedServer,
  type SentMessage,
} from '../../../packages/proxy/test/support/scripted-server.ts';
import { TestRestarts } from '../../../packages/proxy/test/support/test-restarts.ts';
import { tokenProvider } from '../../../packages/proxy/test/support/token-provider.ts';
import { readDefinitions } from '../../../packages/workload/src/supervisor/definitions/read-definitions.ts';

type Respond = (message: SentMessage) => object;

const TOOLS = [{ name: 'seen', inputSchema: { type: 'object' } }, { name: 'hidden' }, { name: 'third' }];
const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, prompts: {} },
  serverInfo: { name: 'server', version: '2.0.0' },
  instructions: 'Use it well.',
};

/** Responds like a server with three tools on two pages, and without the method for prompts that it declares. */
const respond: Respond = ({ method, params }) => {
  if (method === 'initialize') return { result: GREETING };
  if (method !== 'tools/list') return { error: { code: -32601, message: 'unknown' } };
  return params?.cursor === undefined
    ? { result: { tools: TOOLS.slice(0, 1), nextCursor: 'two' } }
    : { result: { tools: TOOLS.slice(1) } };
};

/** Hides every tool from clients, and records what it sees. */
function hiding(seen: string[]): PlacedProxyMiddleware {
  return {
    name: 'hiding',
    placed: 'filter',
    instance: {
      onRequest: ({ headers }) => void seen.push(...Object.keys(headers)),
      onMessage: ({ kind }) => void seen.push(kind),
      onResponse: () => ({ change: [{ path: ['result'], json: '{"tools":[]}' }] }),
    },
  };
}

describe('readDefinitions', () => {
  const proxies: OpenProxy[] = [];
  const backends: HttpBackendUnderTest[] = [];

  afterEach(async () => {
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  interface Opened {
    readonly own: OwnRequests;
    readonly proxy: OpenProxy;
    readonly read: (signal?: AbortSignal) => ReturnType<typeof readDefinitions>;
  }

  async function open(
    backend: ServerBackend,
    {
      middleware = [],
      authProvider,
      isSse = false,
      prefix = '',
    }: {
      readonly middleware?: readonly PlacedProxyMiddleware[];
      readonly authProvider?: AuthProvider;
      readonly isSse?: boolean;
      readonly prefix?: string;
    } = {},
  ): Promise<Opened> {
    const own = new OwnRequests();
    const proxy = await openProxy({
      backend,
      middleware,
      ...(authProvider === undefined ? {} : { authProvider }),
      ...(prefix === '' ? {} : { endpointPrefix: prefix }),
      instance: 'test-instance',
      ownRequests: own,
      transport: 'stdio',
      version: '0.0.0',
      clock: () => new Date(),
      restarts: new TestRestarts(),
      logger: createRecordingLogger(),
      limits: { graceMs: 20 },
    });
    proxies.push(proxy);
    // SAFETY: reading uses only these members.
    const work = {
      config: {
        name: 'own',
        proxy_mode: isSse ? 'sse' : 'streamable-http',
        transport: 'stdio',
        endpoint_prefix: prefix,
      },
      context: { version: '0.0.0' },
      proxy,
      ownRequests: own,
    } as unknown as Parameters<typeof readDefinitions>[0];
    return {
      own,
      proxy,
      read: (signal = AbortSignal.timeout(15_000)) => readDefinitions(work, signal),
    };
  }

  function stdio(answer: Respond, mode: 'sse' | 'streamable-http' = 'streamable-http'): ServerBackend {
    const received = (message: SentMessage, server: ScriptedServer): void => {
      if (message.id !== undefined) server.say({ id: message.id, ...answer(message) });
    };
    return new ScriptedServers({ received }).backend({ mode });
  }

  async function http(answer: Respond): Promise<ServerBackend> {
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const message = JSON.parse(body.toString()) as SentMessage;
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'backend-session' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) }));
    });
    backends.push(backend);
    return {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL('/mcp', backend.url),
      isRemote: false,
    };
  }

  async function events(answer: Respond): Promise<ServerBackend> {
    let stream: ServerResponse | undefined;
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method === 'GET') {
        stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
        return;
      }
      response.writeHead(202).end();
      const message = JSON.parse(body.toString()) as SentMessage;
      if (message.id !== undefined)
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) })}\n\n`);
    });
    backends.push(backend);
    return { carries: 'http', transport: 'sse', target: new URL('/sse', backend.url), isRemote: false };
  }

  const WAYS = [
    { title: 'over stdio', isSse: false, backend: async (answer: Respond) => stdio(answer) },
    {
      title: 'over stdio for HTTP+SSE',
      isSse: true,
      backend: async (answer: Respond) => stdio(answer, 'sse'),
    },
    { title: 'over HTTP', isSse: false, backend: http },
    { title: 'over HTTP+SSE', isSse: true, backend: events },
  ] as const;

  for (const { title, isSse, backend } of WAYS) {
    it(`reads what a policy hides, and needs no login, when the server speaks ${title}`, async () => {
      const seen: string[] = [];
      const { read } = await open(await backend(respond), {
        middleware: [hiding(seen)],
        authProvider: tokenProvider({}),
        isSse,
      });
      const { server, tools, prompts, templates } = await read();
      expect(JSON.parse(String(tools))).to.deep.equal(TOOLS);
      expect([prompts, templates]).to.deep.equal(['[]', '[]']);
      expect(server).to.deep.include({ name: 'server', version: '2.0.0', instructions: 'Use it well.' });
      expect(seen).to.deep.equal([]);
    });

    it(`reads through an endpoint prefix when the server speaks ${title}`, async () => {
      const { read } = await open(await backend(respond), { isSse, prefix: '/behind' });
      expect(JSON.parse(String((await read()).tools))).to.have.length(3);
    });
  }

  it('reads a server that supports only the modern revision', async () => {
    const modern: Respond = (message) => {
      if (message.method === 'initialize') return { error: { code: -32601, message: 'unknown method' } };
      if (message.method !== 'server/discover') return respond(message);
      const { capabilities } = GREETING;
      return {
        result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0 },
      };
    };
    const { read } = await open(await http(modern));
    const { server, tools } = await read();
    expect(server).to.deep.include({ revisions: ['2026-07-28'] });
    expect(JSON.parse(String(tools))).to.have.length(3);
  });

  const FAULTS: readonly {
    readonly title: string;
    readonly list: (cursor: unknown) => object;
    readonly expected: string;
  }[] = [
    {
      title: 'repeats a cursor',
      list: () => ({ result: { tools: [], nextCursor: 'one' } }),
      expected: 'repeats its pages',
    },
    {
      title: 'sends pages without end',
      list: (cursor) => ({ result: { tools: [], nextCursor: String(Number(cursor ?? 0) + 1) } }),
      expected: 'more than 250 pages',
    },
    {
      title: 'sends too many items',
      list: () => ({ result: { tools: Array.from({ length: 10_001 }, (_, at) => ({ name: `t${at}` })) } }),
      expected: 'more than 10000 items',
    },
    {
      title: 'sends no list',
      list: () => ({ result: { tools: 'none' } }),
      expected: 'no array "tools"',
    },
    {
      title: 'fails on a list',
      list: () => ({ error: { code: -32000, message: 'database is closed' } }),
      expected: 'database is closed',
    },
    {
      title: 'loses the method after the first page',
      list: (cursor) =>
        cursor === undefined
          ? { result: { tools: [], nextCursor: 'x' } }
          : { error: { code: -32601, message: 'gone' } },
      expected: 'gone',
    },
  ];
  for (const { title, list, expected } of FAULTS) {
    it(`throws ERR_DEFINITIONS_UNREADABLE when the server ${title}`, async () => {
      const answer: Respond = (message) =>
        message.method === 'tools/list' ? list(message.params?.cursor) : respond(message);
      const { read } = await open(stdio(answer));
      const error = await read().catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'ERR_DEFINITIONS_UNREADABLE');
      expect(error).to.have.property('message').that.includes(expected);
    });
  }

  it('throws ERR_DEFINITIONS_UNREADABLE when a tool has a member name twice', async () => {
    const received = (message: SentMessage, server: ScriptedServer): void => {
      if (message.method === 'tools/list')
        server.write(
          `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":[{"name":"a","description":"good","description":"bad"}]}}`,
        );
      else if (message.id !== undefined) server.say({ id: message.id, ...respond(message) });
    };
    const { read } = await open(new ScriptedServers({ received }).backend({ mode: 'streamable-http' }));
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message').that.includes('"description" occurs twice');
  });

  it('throws ERR_DEFINITIONS_UNREADABLE when the server rejects requests without a login', async () => {
    const backend = await HttpBackendUnderTest.start((_request, response) => {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    });
    backends.push(backend);
    const { read } = await open({
      carries: 'http',
      transport: 'streamable-http',
      target: new URL('/mcp', backend.url),
      isRemote: true,
    });
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'ERR_DEFINITIONS_UNREADABLE');
    expect(String(error)).to.include('requires the login of each caller');
  });

  it('rejects with the reason of the signal when it aborts during a silent response', async () => {
    const aborting = new AbortController();
    const received = (message: SentMessage, server: ScriptedServer): void => {
      if (message.method === 'tools/list') aborting.abort(new Error('interrupted by the user'));
      else if (message.id !== undefined) server.say({ id: message.id, ...respond(message) });
    };
    const { read } = await open(new ScriptedServers({ received }).backend({ mode: 'streamable-http' }));
    const error = await read(aborting.signal).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'interrupted by the user');
  });

  it('leaves no way by which a client sees more than the policy permits', async () => {
    const seen: string[] = [];
    const { own, proxy } = await open(stdio(respond), { middleware: [hiding(seen)] });
    const url = new URL(proxy.url);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: GREETING });
    const key = own.makeKey({
      method: 'POST',
      target: '/mcp',
      session: undefined,
      body,
      bypassesMiddleware: true,
    });
    const send = async (text: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
      await fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: text,
      });
    const forged = await send(body.replace('"id":1', '"id":2'), { [OWN_REQUEST_HEADER]: key });
    expect(forged.status).to.equal(401);
    const used = await send(body, { [OWN_REQUEST_HEADER]: key });
    expect(await used.text()).to.include('"result":{"tools":[]}');
    expect(seen).to.include('request');
  });
});
