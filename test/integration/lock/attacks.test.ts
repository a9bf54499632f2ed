import { baselineOf, type CurrentDefinitions, DriftGuard, lockDefinitions } from '@portolan/lock';
import { META, NEWEST_MODERN, ownParams } from '@portolan/mcp-protocol';
import type { ServerBackend } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { type OpenProxy, openProxy } from '@portolan/proxy';
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Events, open as openStream, send } from '../../../packages/proxy/test/support/http-client.ts';
import {
  type ScriptedServer,
  ScriptedServers,
  type SentMessage,
} from '../../../packages/proxy/test/support/scripted-server.ts';
import { TestRestarts } from '../../../packages/proxy/test/support/test-restarts.ts';
import { guardMiddleware } from '../../../packages/workload/src/supervisor/drift/guard-middleware.ts';

type Json = Record<string, unknown>;

/** No byte of it may reach a client. */
const POISON = 'POISON';

const SEARCH = {
  name: 'search',
  title: 'Search',
  description: 'Searches.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Text.' }, language: { enum: ['go', 'c'] } },
  },
  outputSchema: { type: 'object', properties: { hits: { type: 'integer' } } },
  annotations: { destructiveHint: true },
} as const;
const READ = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } };
const REVIEW = {
  name: 'review',
  description: 'Reviews.',
  arguments: [{ name: 'code', description: 'Code.' }],
};
const NOTE = { uriTemplate: 'note://{id}', name: 'note', description: 'A note.' };
const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, resources: {} };
const INSTRUCTIONS = 'Search first.';

interface Answers {
  readonly tools: string;
  readonly prompts: string;
  readonly templates: string;
  readonly instructions: string;
  readonly capabilities: string;
}

const APPROVED: Answers = {
  tools: list('tools', SEARCH, READ),
  prompts: list('prompts', REVIEW),
  templates: list('resourceTemplates', NOTE),
  instructions: JSON.stringify(INSTRUCTIONS),
  capabilities: JSON.stringify(CAPABILITIES),
};

function list(member: string, ...items: readonly unknown[]): string {
  return JSON.stringify({ [member]: items });
}

interface RefusedRequest {
  readonly method: string;
  readonly params: Json;
}

interface Attack {
  readonly title: string;
  /** Results of the server from now on, as JSON texts. A function gets the parameters of the request. */
  readonly now: { readonly [Part in keyof Answers]?: string | ((params: Json) => string) };
  /** Request that must be refused, after the lists were read. */
  readonly refused?: RefusedRequest;
}

const call = (name: string): RefusedRequest => ({ method: 'tools/call', params: { name, arguments: {} } });
const tools = (...items: readonly unknown[]): Attack['now'] => ({ tools: list('tools', ...items) });
/** Attack with a changed form of the tool `search`. */
const changed = (title: string, tool: Json): Attack => ({
  title,
  now: tools(tool, READ),
  refused: call('search'),
});
/** Attack with a tool that was never approved. */
const added = (title: string, name: string): Attack => ({
  title,
  now: tools(SEARCH, READ, { ...READ, name, description: POISON }),
  refused: call(name),
});
const text = JSON.stringify(SEARCH);

const ATTACKS: readonly Attack[] = [
  changed('another description', { ...SEARCH, description: `Searches. ${POISON}` }),
  changed('another title', { ...SEARCH, title: POISON }),
  changed('another parameter description', {
    ...SEARCH,
    inputSchema: { ...SEARCH.inputSchema, properties: { query: { type: 'string', description: POISON } } },
  }),
  changed('another parameter', {
    ...SEARCH,
    inputSchema: {
      ...SEARCH.inputSchema,
      properties: { ...SEARCH.inputSchema.properties, key: { type: 'string', description: POISON } },
    },
  }),
  changed('a wider enumeration', {
    ...SEARCH,
    inputSchema: {
      ...SEARCH.inputSchema,
      properties: { ...SEARCH.inputSchema.properties, language: { enum: ['go', 'c', POISON] } },
    },
  }),
  changed('another output schema', { ...SEARCH, outputSchema: { type: 'object', description: POISON } }),
  changed('an annotation', { ...SEARCH, annotations: { destructiveHint: true, title: POISON } }),
  changed('an unknown member', { ...SEARCH, note: POISON }),
  changed(
    'a member named like a prototype',
    JSON.parse(`{"__proto__":{"description":"${POISON}"},${text.slice(1)}`),
  ),
  changed('a lone surrogate', { ...SEARCH, description: `Searches.\ud800${POISON}` }),
  changed('a resource of an app', { ...SEARCH, _meta: { ui: { resourceUri: `ui://${POISON}` } } }),
  added('a new tool', 'fresh'),
  added('a name in another case', 'Search'),
  added('a name with a letter that looks the same', 'se\u0430rch'),
  added('a name with an invisible character', 'sea\u200brch'),
  added('a name with a blank at its end', 'search '),
  added('a name with a combining mark', 'search\u0301'),
  added('a name in full width', '\uff53earch'),
  {
    title: 'a second tool of the same name',
    now: tools(SEARCH, { ...SEARCH, description: POISON }),
    refused: call('search'),
  },
  {
    title: 'a first tool of the same name',
    now: tools({ ...SEARCH, description: POISON }, SEARCH),
    refused: call('search'),
  },
  {
    title: 'a repeated member, poisoned first',
    now: { tools: `{"tools":[{"description":"${POISON}",${text.slice(1)}]}` },
  },
  {
    title: 'a repeated member, poisoned last',
    now: { tools: `{"tools":[${text.slice(0, -1)},"description":"${POISON}"}]}` },
  },
  {
    title: 'a repeated member with an escaped name',
    now: { tools: `{"tools":[{"\\u0064escription":"${POISON}",${text.slice(1)}]}` },
  },
  {
    title: 'two lists in one result, poisoned first',
    now: { tools: `{"tools":[{"name":"x","description":"${POISON}"}],"tools":[${text}]}` },
  },
  {
    title: 'a list whose name differs in case',
    now: { tools: `{"tools":[${text}],"Tools":[{"name":"x","description":"${POISON}"}]}` },
  },
  {
    title: 'a list that is an object',
    now: { tools: `{"tools":{"0":{"name":"x","description":"${POISON}"}}}` },
  },
  { title: 'a list within a list', now: { tools: `{"tools":[[{"name":"x","description":"${POISON}"}]]}` } },
  { title: 'a tool without a name', now: { tools: `{"tools":[{"description":"${POISON}"},${text}]}` } },
  {
    title: 'a tool with a name that is no text',
    now: { tools: `{"tools":[{"name":{"a":"${POISON}"}},${text}]}` },
  },
  {
    title: 'a change on the second page only',
    now: {
      tools: ({ cursor }) =>
        cursor === undefined
          ? JSON.stringify({ tools: [READ], nextCursor: 'two' })
          : list('tools', { ...SEARCH, description: POISON }),
    },
    refused: call('search'),
  },
  {
    title: 'line breaks in the message',
    now: { tools: JSON.stringify({ tools: [{ ...SEARCH, description: POISON }] }, undefined, 1) },
    refused: call('search'),
  },
  {
    title: 'a prompt with another description',
    now: { prompts: list('prompts', { ...REVIEW, description: POISON }) },
    refused: { method: 'prompts/get', params: { name: 'review' } },
  },
  {
    title: 'a prompt with another argument',
    now: { prompts: list('prompts', { ...REVIEW, arguments: [{ name: 'code', description: POISON }] }) },
    refused: { method: 'prompts/get', params: { name: 'review' } },
  },
  {
    title: 'a new prompt',
    now: { prompts: list('prompts', REVIEW, { ...REVIEW, name: 'obey', description: POISON }) },
    refused: { method: 'prompts/get', params: { name: 'obey' } },
  },
  {
    title: 'a template with another description',
    now: { templates: list('resourceTemplates', { ...NOTE, description: POISON }) },
    refused: { method: 'resources/read', params: { uri: 'note://1' } },
  },
  {
    title: 'a new template',
    now: {
      templates: list('resourceTemplates', NOTE, { ...NOTE, uriTemplate: 'key://{id}', description: POISON }),
    },
    refused: { method: 'resources/read', params: { uri: 'KEY://1' } },
  },
  { title: 'other instructions', now: { instructions: JSON.stringify(POISON) } },
  { title: 'instructions that are no text', now: { instructions: `{"text":"${POISON}"}` } },
  {
    title: 'repeated instructions',
    now: { instructions: `"${POISON}","instructions":${APPROVED.instructions}` },
  },
  {
    title: 'other capabilities',
    now: { capabilities: JSON.stringify({ ...CAPABILITIES, experimental: { note: POISON } }) },
  },
];

/** Server whose results are chosen by the test. */
class ChangingServer {
  now: Attack['now'] = {};
  readonly calls: string[] = [];
  readonly #isModern: boolean;

  constructor(isModern: boolean) {
    this.#isModern = isModern;
  }

  /** Returns the response to a request, as the members of a message. */
  respond({ method = '', params = {} }: SentMessage): string {
    if (/^(?:tools\/call|prompts\/get|resources\/read)$/i.test(method.trim())) this.calls.push(method);
    const part = PARTS[method];
    if (part === 'server') return this.#describe(method);
    if (part === undefined) return `"result":{"content":[],"contents":[],"messages":[]${this.#complete}}`;
    const own = this.now[part];
    const result = typeof own === 'function' ? own(params) : (own ?? APPROVED[part]);
    return `"result":${result.replace(/\}\s*$/, `${this.#complete}}`)}`;
  }

  get #complete(): string {
    return this.#isModern ? ',"resultType":"complete","ttlMs":0,"cacheScope":"private"' : '';
  }

  #describe(method: string): string {
    const isDiscovery = method === 'server/discover';
    if (isDiscovery !== this.#isModern) return '"error":{"code":-32601,"message":"unknown method"}';
    const form = isDiscovery
      ? `"resultType":"complete","supportedVersions":["${NEWEST_MODERN}"],"ttlMs":0,"cacheScope":"private"`
      : '"protocolVersion":"2025-03-26","serverInfo":{"name":"s","version":"1"}';
    const { instructions = APPROVED.instructions, capabilities = APPROVED.capabilities } = this.now;
    return `"result":{${form},"capabilities":${String(capabilities)},"instructions":${String(instructions)}}`;
  }
}

const PARTS: Readonly<Record<string, keyof Answers | 'server'>> = {
  initialize: 'server',
  'server/discover': 'server',
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/templates/list': 'templates',
};

interface Way {
  readonly title: string;
  readonly isModern: boolean;
  /** Whether clients have an HTTP+SSE session. */
  readonly isEvents?: boolean;
  readonly backend: (server: ChangingServer, backends: HttpBackendUnderTest[]) => Promise<ServerBackend>;
}

const stdio = (mode: 'streamable-http' | 'sse') => async (server: ChangingServer) =>
  new ScriptedServers({
    received: (message: SentMessage, link: ScriptedServer) => {
      if (message.method === 'subscriptions/listen') {
        const params = { _meta: { [META.subscription]: message.id } };
        link.say({ method: 'notifications/subscriptions/acknowledged', params });
        return;
      }
      // A message on standard output is one line.
      if (message.id !== undefined)
        link.write(
          `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${server.respond(message).replaceAll('\n', ' ')}}`,
        );
    },
  }).backend({ mode });

/** Returns a way over streamable HTTP, with responses as JSON or as events. */
const http =
  (frame: (json: string) => string, type: string) =>
  async (server: ChangingServer, backends: HttpBackendUnderTest[]): Promise<ServerBackend> => {
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
      response.writeHead(200, { 'Content-Type': type, 'Mcp-Session-Id': 'backend-session' });
      response.end(frame(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${server.respond(message)}}`));
    });
    backends.push(backend);
    const target = new URL('/mcp', backend.url);
    return { carries: 'http', transport: 'streamable-http', target, isRemote: false };
  };

/** Writes an event with one `data` line for each line of the text. */
function frameEvent(json: string): string {
  return `: x\r\nevent: message\r\n${json
    .split('\n')
    .map((line) => `data: ${line}\r\n`)
    .join('')}\r\n`;
}

async function events(server: ChangingServer, backends: HttpBackendUnderTest[]): Promise<ServerBackend> {
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
      stream?.write(
        frameEvent(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${server.respond(message)}}`),
      );
  });
  backends.push(backend);
  return { carries: 'http', transport: 'sse', target: new URL('/sse', backend.url), isRemote: false };
}

const WAYS: readonly Way[] = [
  { title: 'on standard output', isModern: false, backend: stdio('streamable-http') },
  {
    title: 'on standard output, to clients of HTTP+SSE',
    isModern: false,
    isEvents: true,
    backend: stdio('sse'),
  },
  { title: 'in JSON over HTTP', isModern: false, backend: http((json) => json, 'application/json') },
  { title: 'in events over HTTP', isModern: false, backend: http(frameEvent, 'text/event-stream') },
  { title: 'over HTTP+SSE', isModern: false, isEvents: true, backend: events },
  { title: `on standard output in ${NEWEST_MODERN}`, isModern: true, backend: stdio('streamable-http') },
  {
    title: `in JSON over HTTP in ${NEWEST_MODERN}`,
    isModern: true,
    backend: http((json) => json, 'application/json'),
  },
  {
    title: `in events over HTTP in ${NEWEST_MODERN}`,
    isModern: true,
    backend: http(frameEvent, 'text/event-stream'),
  },
];

/** Client that keeps every byte that it gets. */
interface Client {
  /** Sends a message, and returns the JSON-RPC code of the error, if it gets one. */
  readonly request: (method: string, params?: Json) => Promise<number | undefined>;
  readonly all: () => string;
}

describe('attacks on the drift guard', () => {
  const proxies: OpenProxy[] = [];
  const backends: HttpBackendUnderTest[] = [];
  const streams: Events[] = [];

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.response.destroy();
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(way: Way): Promise<{
    readonly server: ChangingServer;
    readonly guard: DriftGuard;
    readonly proxy: OpenProxy;
    readonly client: Client;
  }> {
    const server = new ChangingServer(way.isModern);
    const guard = new DriftGuard(
      { reaction: 'hold', baseline: baselineFor(way) },
      { found: () => undefined },
    );
    const proxy = await openProxy({
      backend: await way.backend(server, backends),
      middleware: guardMiddleware(guard, () => undefined),
      instance: 'test-instance',
      transport: 'stdio',
      version: '0.0.0',
      clock: () => new Date(),
      restarts: new TestRestarts(),
      logger: createRecordingLogger(),
      limits: { graceMs: 20 },
    });
    proxies.push(proxy);
    const client = await connect(way, proxy);
    return { server, guard, proxy, client };
  }

  async function connect({ isModern, isEvents = false }: Way, proxy: OpenProxy): Promise<Client> {
    if (isModern) return modernClient(proxy.url);
    return isEvents ? await eventsClient(proxy.url, streams) : streamableClient(proxy.url);
  }

  /** Reads everything that a server offers, and follows the cursors of its tools. */
  async function readAll(client: Client, isModern: boolean): Promise<void> {
    await client.request(isModern ? 'server/discover' : 'initialize', isModern ? {} : GREETING);
    await client.request('tools/list', {});
    await client.request('tools/list', { cursor: 'two' });
    await client.request('prompts/list', {});
    await client.request('resources/templates/list', {});
  }

  for (const way of WAYS) {
    describe(`by a server that responds ${way.title}`, () => {
      it('guard › passes everything when nothing has changed', async () => {
        const { client, guard, server } = await open(way);
        await readAll(client, way.isModern);
        expect(client.all()).to.include('Searches.').and.include('Reviews.').and.include('A note.');
        expect(client.all()).to.include(INSTRUCTIONS);
        expect(guard.differences).to.deep.equal([]);
        expect(await client.request('tools/call', { name: 'search', arguments: {} })).to.equal(undefined);
        expect(server.calls).to.deep.equal(['tools/call']);
      });

      for (const { title, now, refused } of ATTACKS) {
        it(`guard › holds back ${title}`, async () => {
          const { client, server } = await open(way);
          server.now = now;
          await readAll(client, way.isModern);
          expect(client.all()).to.not.include(POISON);
          if (refused === undefined) return;
          expect(await client.request(refused.method, refused.params)).to.be.oneOf([-32602, -32002]);
          expect(server.calls).to.deep.equal([]);
          expect(client.all()).to.not.include(POISON);
        });
      }

      it('guard › holds back a change in the middle of a session, and for each client', async () => {
        const { client, server } = await open(way);
        await readAll(client, way.isModern);
        server.now = tools({ ...SEARCH, description: POISON });
        expect(await client.request('tools/list', {})).to.equal(undefined);
        expect(client.all()).to.not.include(POISON);
        // A server may show the approved list to one caller and another one to the next.
        for (const now of [{}, server.now, {}, server.now]) {
          server.now = now;
          await client.request('tools/list', {});
        }
        expect(client.all()).to.not.include(POISON);
        expect(await client.request('tools/call', { name: 'search', arguments: {} })).to.equal(-32602);
      });

      it('guard › refuses methods in another spelling', async () => {
        const { client, server } = await open(way);
        await readAll(client, way.isModern);
        server.now = tools({ ...SEARCH, description: POISON });
        for (const method of ['tools/List', ' tools/list', 'TOOLS/CALL', 'tools/call ', 'Prompts/get'])
          expect(await client.request(method, { name: 'search' }), method).to.not.equal(undefined);
        expect(server.calls).to.deep.equal([]);
        expect(client.all()).to.not.include(POISON);
      });
    });
  }

  for (const isModern of [false, true]) {
    const title = isModern ? 'clients with a subscription' : 'sessions with a stream';
    it(`OpenProxy.announceListChanges › reaches ${title}`, async () => {
      const way = WAYS.find((one) => one.isModern === isModern);
      if (way === undefined) throw new Error('there is no way');
      const { proxy } = await open(way);
      const stream = isModern ? await subscribe(proxy.url) : await listen(proxy.url);
      streams.push(stream);
      await eventually(() => {
        proxy.announceListChanges();
        expect(stream.all.map(({ data }) => data).join()).to.include('notifications/tools/list_changed');
      });
      const received = stream.all.map(({ data }) => data).join();
      // Only what the subscription asks for.
      expect(received.includes('notifications/prompts/list_changed')).to.equal(!isModern);
    });
  }

  it('OpenProxy.announceListChanges › reaches streams of servers that speak HTTP', async () => {
    for (const way of WAYS.filter(({ isEvents = false }) => isEvents)) {
      const { proxy, client } = await open(way);
      await client.request('initialize', GREETING);
      await eventually(() => {
        proxy.announceListChanges();
        expect(client.all()).to.include('notifications/tools/list_changed');
      });
    }
  });

  it('guard › judges each message of a batch', async () => {
    const [way] = WAYS;
    if (way === undefined) throw new Error('there is no way');
    const { server, proxy } = await open(way);
    server.now = tools({ ...SEARCH, description: POISON });
    const greeted = await post(proxy.url, {}, { id: 1, method: 'initialize', params: GREETING });
    const session = { 'Mcp-Session-Id': String(greeted.headers['mcp-session-id']) };
    await post(proxy.url, session, { method: 'notifications/initialized' });
    const batch = [2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const calls = [{ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'new', arguments: {} } }];
    const response = await send(proxy.url, {
      method: 'POST',
      headers: { ...TYPE, ...session },
      body: JSON.stringify([...batch, ...calls]),
    });
    expect(response.text).to.include('"id":3').and.not.include(POISON);
    expect(server.calls).to.deep.equal([]);
  });

  it('guard › removes the content of announcements, however many come', async () => {
    let link: ScriptedServer | undefined;
    const server = new ChangingServer(false);
    let announced = 0;
    const guard = new DriftGuard(
      { reaction: 'hold', baseline: baselineFor({ isModern: false }) },
      { found: () => undefined },
    );
    const proxy = await openProxy({
      backend: new ScriptedServers({
        received: (message, opened) => {
          link = opened;
          if (message.id !== undefined)
            opened.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${server.respond(message)}}`);
        },
      }).backend({ mode: 'sse' }),
      middleware: guardMiddleware(guard, () => void (announced += 1)),
      instance: 'test-instance',
      transport: 'stdio',
      version: '0.0.0',
      clock: () => new Date(),
      restarts: new TestRestarts(),
      logger: createRecordingLogger(),
      limits: { graceMs: 20 },
    });
    proxies.push(proxy);
    const client = await eventsClient(proxy.url, streams);
    await client.request('initialize', GREETING);
    const method = 'notifications/tools/list_changed';
    for (let count = 0; count < 1000; count += 1)
      link?.say({ method, params: { tools: [{ ...SEARCH, description: POISON }] } });
    await client.request('tools/list', {});
    await eventually(() => expect(announced).to.equal(1000));
    expect(client.all()).to.include(method).and.not.include(POISON);
  });
});

const GREETING = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'client', version: '1' },
};
const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function baselineFor({ isModern }: Pick<Way, 'isModern'>) {
  const current: CurrentDefinitions = {
    tools: [SEARCH, READ],
    prompts: [REVIEW],
    templates: [NOTE],
    server: {
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      ...(isModern ? { revisions: [NEWEST_MODERN] } : { name: 's', version: '1' }),
    },
  };
  const { locked } = lockDefinitions({
    facts: { source: 'npx://@acme/server@1.0.0' },
    current,
    approval: { date: '2026-11-30' },
  });
  if (locked === undefined) throw new Error('the definitions cannot be locked');
  return baselineOf(locked.workload, locked.contents);
}

async function post(url: string, headers: Readonly<Record<string, string>>, message: Json) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return await send(url, { method: 'POST', headers: { ...TYPE, ...headers }, body });
}

function codeIn(received: string, id: number): number | undefined {
  const found = new RegExp(`\\{[^{}]*"id":${id},"error":\\{"code":(-?\\d+)`).exec(received);
  return found === null ? undefined : Number(found[1]);
}

function streamableClient(url: string): Client {
  const received: string[] = [];
  let id = 0;
  let session: Readonly<Record<string, string>> = {};
  return {
    all: () => received.join('\n'),
    request: async (method, params = {}) => {
      id += 1;
      const response = await post(url, session, { id, method, params });
      received.push(response.text);
      if (method === 'initialize' && response.status === 200) {
        session = { 'Mcp-Session-Id': String(response.headers['mcp-session-id']) };
        await post(url, session, { method: 'notifications/initialized' });
      }
      return codeIn(response.text, id);
    },
  };
}

function modernClient(url: string): Client {
  const received: string[] = [];
  let id = 0;
  return {
    all: () => received.join('\n'),
    request: async (method, params = {}) => {
      id += 1;
      const { name, uri = name } = params;
      const headers = {
        'Mcp-Protocol-Version': NEWEST_MODERN,
        'Mcp-Method': method,
        ...(typeof uri === 'string' ? { 'Mcp-Name': encodeHeader(uri) } : {}),
      };
      const own = { ...ownParams('0.0.0', params), ...params };
      const response = await post(url, headers, { id, method, params: own });
      received.push(response.text);
      return codeIn(response.text, id);
    },
  };
}

/** Returns a header value as revision 2026-07-28 writes texts that HTTP cannot carry. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** Opens a session and its stream of messages. */
async function listen(url: string): Promise<Events> {
  const greeted = await post(url, {}, { id: 1, method: 'initialize', params: GREETING });
  const session = { 'Mcp-Session-Id': String(greeted.headers['mcp-session-id']) };
  await post(url, session, { method: 'notifications/initialized' });
  return new Events(await openStream(url, { headers: { Accept: 'text/event-stream', ...session } }));
}

/** Opens a subscription of revision 2026-07-28 to changes of the tools. */
async function subscribe(url: string): Promise<Events> {
  const params = ownParams('0.0.0', { notifications: { toolsListChanged: true } });
  return new Events(
    await openStream(url, {
      method: 'POST',
      headers: { ...TYPE, 'Mcp-Protocol-Version': NEWEST_MODERN, 'Mcp-Method': 'subscriptions/listen' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
    }),
  );
}

async function eventsClient(url: string, streams: Events[]): Promise<Client> {
  const stream = new Events(
    await openStream(url.split('#')[0] ?? url, { headers: { Accept: 'text/event-stream' } }),
  );
  streams.push(stream);
  const endpoint = await eventually(() => {
    const event = stream.all.find(({ event: type }) => type === 'endpoint');
    expect(event).to.not.equal(undefined);
    return new URL(event?.data ?? '', url);
  });
  let id = 0;
  const all = (): string => stream.all.map(({ data }) => data).join('\n');
  return {
    all,
    request: async (method, params = {}) => {
      id += 1;
      const own = id;
      await post(endpoint.href, {}, { id, method, params });
      await eventually(() => expect(all()).to.match(new RegExp(`"id":${own}[,}]`)));
      if (method === 'initialize') await post(endpoint.href, {}, { method: 'notifications/initialized' });
      return codeIn(all(), own);
    },
  };
}
