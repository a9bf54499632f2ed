import { askServer } from '@portolan/mcp-client';
import {
  OWN_LIST_METHODS,
  OWN_METHODS,
  OWN_REQUEST_HEADER,
  type OwnRequest,
  OwnRequests,
} from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';
import type { ClientRequest, ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { type Answer, send } from '../support/http-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';
import { tokenProvider } from '../support/token-provider.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const GREETING: OwnRequest = { method: 'POST', target: '/mcp', session: undefined, body: INITIALIZE };

/** Returns an HTTP+SSE server that sends the response to `initialize` on the stream. */
function speakEvents(): Handle {
  let stream: ServerResponse | undefined;
  return ({ method, body }, response) => {
    if (method === 'GET') {
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
      return;
    }
    response.writeHead(202).end();
    const { id } = JSON.parse(String(body));
    stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
  };
}

describe('keys for requests of the supervisor', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  let nowMs: number;
  let own: OwnRequests;
  let seen: ClientRequest[];

  beforeEach(() => {
    [nowMs, seen] = [1000, []];
    own = new OwnRequests(() => nowMs);
  });
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const guarded = (more: TestProxyOptions = {}): TestProxyOptions => ({
    authProvider: tokenProvider({}),
    ownRequests: own,
    ...more,
  });
  const observing = (): TestProxyOptions => ({
    middleware: [
      { name: 'observe', placed: 'observe', instance: { onRequest: (request) => void seen.push(request) } },
      { name: 'judge', placed: 'validate', instance: { onMessage: () => undefined } },
    ],
  });
  async function openHttp(transport: 'streamable-http' | 'sse', options: TestProxyOptions) {
    const backend = await HttpBackendUnderTest.start(transport === 'sse' ? speakEvents() : speakHttp);
    backends.push(backend);
    const target = new URL('/mcp', backend.url);
    const opened = await proxies.open(
      { carries: 'http', transport, target, isRemote: false },
      guarded(options),
    );
    return { ...opened, backend };
  }
  const openStdio = async (mode: 'sse' | 'streamable-http', options: TestProxyOptions = {}) => {
    const backend: ServerBackend = new ScriptedServers({ received: speak }).backend({ mode });
    return await proxies.open(backend, guarded(options));
  };

  const WAYS = [
    { title: 'a server over HTTP', open: async () => (await openHttp('streamable-http', {})).url },
    {
      title: 'a server over HTTP, with policies',
      open: async () => (await openHttp('streamable-http', observing())).url,
    },
    { title: 'a server over stdio', open: async () => (await openStdio('streamable-http')).url },
    {
      title: 'a server over stdio, with policies',
      open: async () => (await openStdio('streamable-http', observing())).url,
    },
  ] as const;

  /** Makes a key for `GREETING` and uses it for a request that differs in `sent`. */
  async function use(
    url: URL,
    key: string | readonly string[],
    sent: Partial<OwnRequest> = {},
  ): Promise<Answer> {
    const { method, target, session, body } = { ...GREETING, ...sent };
    return await send(url, {
      method,
      target,
      headers: {
        ...TYPE,
        [OWN_REQUEST_HEADER]: typeof key === 'string' ? key : [...key],
        ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  for (const { title, open } of WAYS) {
    describe(`in front of ${title}`, () => {
      it('permit one request', async () => {
        const url = await open();
        const key = own.makeKey(GREETING);
        expect((await use(url, key)).status).to.equal(200);
        expect((await use(url, key)).status).to.equal(401);
      });

      it('expire after 10 seconds', async () => {
        const url = await open();
        const [late, inTime] = [own.makeKey(GREETING), own.makeKey(GREETING)];
        nowMs += 10_000;
        expect((await use(url, inTime)).status).to.equal(200);
        nowMs += 1;
        expect((await use(url, late)).status).to.equal(401);
      });

      const others: Readonly<Record<string, Partial<OwnRequest>>> = {
        'tools/list': { body: LIST },
        'a batch': { body: `[${INITIALIZE}]` },
        'another initialize': { body: INITIALIZE.replace('2025-06-18', '2025-11-25') },
        'more bytes': { body: `${INITIALIZE} ` },
        'no body': { body: undefined },
        'another query': { target: '/mcp?a=b' },
        'a session': { session: 'a'.repeat(32) },
        'a stream': { method: 'GET', body: undefined },
        'the end of a session': { method: 'DELETE', session: 'a'.repeat(32), body: undefined },
      };
      for (const [other, sent] of Object.entries(others)) {
        it(`do not permit ${other}, and are consumed by the attempt`, async () => {
          const url = await open();
          const key = own.makeKey(GREETING);
          expect((await use(url, key, sent)).status).to.equal(401);
          expect((await use(url, key)).status).to.equal(401);
        });
      }

      it('are rejected when they are repeated, truncated or forged', async () => {
        const url = await open();
        const key = own.makeKey(GREETING);
        for (const wrong of [
          [key, key],
          key.slice(1),
          `${key}x`,
          key.toUpperCase(),
          'constructor',
          '__proto__',
        ])
          expect((await use(url, wrong)).status).to.equal(401);
        expect((await use(url, key)).status).to.equal(200);
      });

      it('end only the session that they were made for', async () => {
        const url = await open();
        const session = String((await use(url, own.makeKey(GREETING))).headers['mcp-session-id']);
        const end: OwnRequest = { method: 'DELETE', target: '/mcp', session, body: undefined };
        expect(
          (await use(url, own.makeKey(end), { ...end, session: `${session.slice(1)}0` })).status,
        ).to.equal(401);
        expect((await use(url, own.makeKey(end), end)).status).to.be.within(200, 204);
      });
    });
  }

  for (const method of [
    'tools/list',
    'tools/call',
    'resources/list',
    'notifications/cancelled',
    'Initialize',
    '',
  ]) {
    it(`cannot be made for ${method || 'no method'}`, () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
      expect(() => own.makeKey({ ...GREETING, body })).to.throw(TypeError);
    });
  }

  it('can be made for lists only when no middleware sees them', () => {
    expect(OWN_LIST_METHODS).to.have.length(3);
    for (const method of OWN_LIST_METHODS) {
      const body = JSON.stringify({ method });
      expect(own.makeKey({ ...GREETING, body, bypassesMiddleware: true })).to.match(/^[\w-]{43}$/);
      expect(() => own.makeKey({ ...GREETING, body })).to.throw(TypeError);
    }
    const call = JSON.stringify({ method: 'tools/call' });
    expect(() => own.makeKey({ ...GREETING, body: call, bypassesMiddleware: true })).to.throw(TypeError);
  });

  it('can otherwise be made only for the four permitted methods', () => {
    expect(OWN_METHODS).to.have.length(4);
    for (const method of OWN_METHODS)
      expect(own.makeKey({ ...GREETING, body: JSON.stringify({ method }) })).to.match(/^[\w-]{43}$/);
    expect(() => own.makeKey({ ...GREETING, method: 'DELETE' })).to.throw(TypeError);
    expect(() => own.makeKey({ ...GREETING, body: `[${INITIALIZE}]` })).to.throw(TypeError);
  });

  for (const policies of [{}, observing()]) {
    const title = policies.middleware === undefined ? 'without' : 'with';
    for (const transport of ['streamable-http', 'sse'] as const) {
      it(`are removed before the server and policies see them: ${transport}, ${title} policies`, async () => {
        const { url, backend } = await openHttp(transport, policies);
        const signal = AbortSignal.timeout(40_000);
        const asking = { url, speaks: transport, endpointPrefix: '', version: '1', signal } as const;
        expect(await askServer({ ...asking, ownRequests: own })).to.deep.equal({ outcome: 'answered' });
        expect(backend.received.length).to.be.greaterThan(0);
        const headers = [...backend.received, ...seen].flatMap((request) => Object.keys(request.headers));
        expect(headers).to.not.include(OWN_REQUEST_HEADER.toLowerCase());
        expect(await askServer(asking)).to.deep.equal({ outcome: 'refused' });
      });
    }
  }

  for (const mode of ['sse', 'streamable-http'] as const) {
    it(`let the supervisor check a stdio server without a token: ${mode}`, async () => {
      const { url } = await openStdio(mode);
      const signal = AbortSignal.timeout(40_000);
      const asking = { url, speaks: mode, endpointPrefix: '', version: '1', signal } as const;
      expect(await askServer({ ...asking, ownRequests: own })).to.deep.equal({ outcome: 'answered' });
      expect(await askServer(asking)).to.deep.equal({ outcome: 'refused' });
    });
  }
});
