import type { HttpBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../../../test/support/free-port.ts';
import { ConnectionUnderTest, MODERN_META } from '../support/connection-under-test.ts';
import { type Handle, HttpBackendUnderTest, type Received } from '../support/http-backend.ts';
import { events, json, legacy, messageIn, stream } from '../support/http-fixtures.ts';

const WAYS = [
  { way: 'with a handshake', transport: 'streamable-http', isModern: false, wrap: legacy },
  {
    way: 'without a handshake',
    transport: 'streamable-http',
    isModern: true,
    wrap: (handle: Handle) => handle,
  },
  { way: 'over HTTP+SSE', transport: 'sse', isModern: false, wrap: events },
] as const;

const ISSUE = { jsonrpc: '2.0', error: { code: -32000, message: 'nothing with an id' } };

const STATUSES: readonly {
  readonly title: string;
  readonly respond: (response: ServerResponse) => void;
  readonly data: object;
}[] = [
  {
    title: '401 with a challenge',
    respond: (response) => response.writeHead(401, { 'WWW-Authenticate': 'Bearer scope="a"' }).end(),
    data: { reason: 'unauthorized', status: 401, challenge: 'Bearer scope="a"' },
  },
  {
    title: '403',
    respond: (response) => json(response, ISSUE, {}, 403),
    data: { reason: 'forbidden', status: 403 },
  },
  {
    title: '429 with Retry-After',
    respond: (response) => response.writeHead(429, { 'Retry-After': '7' }).end('slow down'),
    data: { reason: 'rate-limited', status: 429, retryAfterSeconds: 7 },
  },
  {
    title: '429 with a date',
    respond: (response) =>
      response
        .writeHead(429, {
          'Retry-After': 'Thu, 01 Jan 1970 00:01:00 GMT',
          Date: 'Thu, 01 Jan 1970 00:00:00 GMT',
        })
        .end(),
    data: { reason: 'rate-limited', status: 429, retryAfterSeconds: 60 },
  },
  {
    title: '400',
    respond: (response) => response.writeHead(400).end('no'),
    data: { reason: 'rejected', status: 400 },
  },
  {
    title: '413',
    respond: (response) => response.writeHead(413).end(),
    data: { reason: 'rejected', status: 413 },
  },
  {
    title: '500',
    respond: (response) => response.writeHead(500).end('<html>'),
    data: { reason: 'rejected', status: 500 },
  },
  ...[502, 503, 504].map((status) => ({
    title: String(status),
    respond: (response: ServerResponse): void => void response.writeHead(status).end(),
    data: { reason: 'unavailable', status },
  })),
  {
    title: '503 with Retry-After',
    respond: (response) => response.writeHead(503, { 'Retry-After': '3' }).end(),
    data: { reason: 'unavailable', status: 503, retryAfterSeconds: 3 },
  },
];

describe('openHttpBackend', function () {
  this.timeout(60_000);
  const servers: HttpBackendUnderTest[] = [];
  const connections: ConnectionUnderTest[] = [];
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    for (const server of servers.splice(0)) await server.close();
  });

  async function serve(handle: Handle): Promise<HttpBackendUnderTest> {
    const server = await HttpBackendUnderTest.start(handle);
    servers.push(server);
    return server;
  }

  async function open(
    ...parameters: Parameters<typeof ConnectionUnderTest.open>
  ): Promise<ConnectionUnderTest> {
    const connection = await ConnectionUnderTest.open(...parameters);
    connections.push(connection);
    return connection;
  }

  const postsOf = (server: HttpBackendUnderTest, method: string): readonly Received[] =>
    server.received.filter((request) => request.method === 'POST' && messageIn(request).method === method);

  for (const { way, transport, isModern, wrap } of WAYS) {
    describe(way, () => {
      async function start(
        handle: Handle,
        server: Partial<HttpBackend> = {},
      ): Promise<readonly [HttpBackendUnderTest, ConnectionUnderTest]> {
        const backend = await serve(wrap(handle));
        const connection = await open({ target: backend.url, transport, ...server });
        if (!isModern) await connection.handshake();
        connection.outcomes.length = 0;
        return [backend, connection];
      }
      const ask = async (connection: ConnectionUnderTest) =>
        isModern ? await connection.askModern('prompts/list') : await connection.ask('prompts/list');

      for (const { title, respond, data } of STATUSES) {
        it(`responds with the reason when the server responds with status ${title}`, async () => {
          const [server, connection] = await start((_request, response) => respond(response));
          const { error } = await ask(connection);
          expect(error?.code).to.equal(-32603);
          expect(error?.data).to.deep.equal(data);
          expect(connection.outcomes).to.deep.equal([(data as { readonly reason: string }).reason]);
          expect(postsOf(server, 'prompts/list')).to.have.lengthOf(1);
          expect(connection.end).to.equal(undefined);
        });
      }

      it('passes on a JSON-RPC response under any status', async () => {
        const [, connection] = await start((request, response) =>
          json(
            response,
            { jsonrpc: '2.0', id: messageIn(request).id, error: { code: 403, message: 'no' } },
            {},
            503,
          ),
        );
        expect((await ask(connection)).error).to.deep.equal({ code: 403, message: 'no' });
        expect(connection.outcomes).to.deep.equal(['responded']);
      });

      it('sends a request once more with new credentials after status 401', async () => {
        const used: (string | undefined)[] = [];
        let token = 'old';
        const [server, connection] = await start(
          (request, response) => {
            used.push(request.headers.authorization);
            if (request.headers.authorization === 'Bearer old') response.writeHead(401).end();
            else
              json(response, {
                jsonrpc: '2.0',
                id: messageIn(request).id,
                error: { code: 1, message: 'ok' },
              });
          },
          {
            credentials: {
              credentials: () => [{ name: 'Authorization', value: `Bearer ${token}` }],
              refused: async (sent, { status }) => {
                expect([sent[0]?.value, status]).to.deep.equal(['Bearer old', 401]);
                token = 'new';
                return true;
              },
            },
          },
        );
        // Over HTTP+SSE, the response would come on the stream, so the fixture responds with an error status.
        if (transport !== 'sse') expect((await ask(connection)).error?.message).to.equal('ok');
        else await connection.begin('prompts/list');
        await eventually(() => expect(used).to.deep.equal(['Bearer old', 'Bearer new']));
        expect(postsOf(server, 'prompts/list')).to.have.lengthOf(2);
      });

      it('does not send a request a third time', async () => {
        const [server, connection] = await start((_request, response) => response.writeHead(401).end(), {
          renewal: 'Log in again.',
          credentials: {
            credentials: () => [{ name: 'Authorization', value: 'Bearer x' }],
            refused: async () => true,
          },
        });
        const { error } = await ask(connection);
        expect(error?.data).to.deep.equal({ reason: 'unauthorized', status: 401 });
        expect(error?.message).to.match(/status 401\. Log in again\.$/);
        expect(postsOf(server, 'prompts/list')).to.have.lengthOf(2);
      });

      it('responds with an error when credentials cannot be obtained, and sends nothing', async () => {
        let isBroken = false;
        const [server, connection] = await start(() => undefined, {
          credentials: {
            credentials: () => {
              if (isBroken) throw new Error('the key store is closed');
              return [];
            },
          },
        });
        isBroken = true;
        const { error } = await ask(connection);
        expect(error?.data).to.deep.equal({ reason: 'credentials' });
        expect(postsOf(server, 'prompts/list')).to.have.lengthOf(0);
      });

      it('distinguishes a broken connection from one that was never made', async () => {
        const [server, connection] = await start((_request, response) => response.destroy());
        if (transport !== 'sse') {
          // The server may have run the call, so the connection does not send it again.
          const params = { name: 'go', ...(isModern ? { _meta: MODERN_META } : {}) };
          const call = await connection.ask('prompts/get', params);
          expect(call.error?.data).to.deep.equal({ reason: 'interrupted' });
          expect(postsOf(server, 'prompts/get')).to.have.lengthOf(1);
        }
        await server.close();
        if (transport === 'sse') {
          await eventually(() => expect(connection.end).to.have.property('reason', 'interrupted'));
        } else {
          const { error } = await ask(connection);
          expect(error?.data).to.deep.equal({ reason: 'unreachable' });
        }
      });

      it('leaves no socket open after it is closed', async () => {
        const [server, connection] = await start((request, response) => {
          if (messageIn(request).method === 'prompts/list') stream(response, ': waiting\n\n');
        });
        for (let calls = 0; calls < 5; calls += 1)
          await connection.begin('prompts/list', isModern ? { _meta: MODERN_META } : {});
        await eventually(() => expect(postsOf(server, 'prompts/list')).to.have.lengthOf(5));
        await connection.close();
        await eventually(async () => {
          const count = await new Promise((resolve) =>
            server.server.getConnections((_error, all) => resolve(all)),
          );
          expect(count).to.equal(0);
        });
        expect(server.open).to.equal(0);
        expect(connection.messages.filter(({ error }) => error !== undefined)).to.deep.equal([]);
      });
    });
  }

  it('responds with the reason unreachable when nothing listens', async () => {
    const port = await freePort();
    for (const transport of ['streamable-http', 'sse'] as const) {
      const connection = await open({ target: new URL(`http://127.0.0.1:${port}/mcp`), transport });
      const { error } = await connection.ask('initialize', {});
      expect(error?.data).to.deep.equal({ reason: 'unreachable' });
      expect(connection.end).to.equal(undefined);
    }
  });

  const unreadable: readonly (readonly [string, Handle, string])[] = [
    [
      'a page with status 200',
      (_request, response) => response.writeHead(200).end('<html>'),
      'invalid-response',
    ],
    ['an empty body', (_request, response) => response.writeHead(200).end(), 'invalid-response'],
    ['status 202', (_request, response) => response.writeHead(202).end(), 'invalid-response'],
    [
      'a response with another id',
      (_request, response) => json(response, { jsonrpc: '2.0', id: 'other', result: {} }),
      'invalid-response',
    ],
    [
      'a body that is too long',
      (_request, response) => json(response, { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(20_000) } }),
      'invalid-response',
    ],
    ['a stream that ends', (_request, response) => (stream(response), void response.end()), 'interrupted'],
    [
      'a stream that breaks',
      (_request, response) => {
        stream(response, 'data: {"jsonrpc"');
        setImmediate(() => response.destroy());
      },
      'interrupted',
    ],
    [
      'an event that is too long',
      (_request, response) => stream(response, `data: ${'x'.repeat(20_000)}`),
      'interrupted',
    ],
    [
      'headers that are too long',
      (_request, response) => response.writeHead(200, { 'X-Long': 'x'.repeat(20_000) }).end(),
      'interrupted',
    ],
  ];
  for (const [title, handle, reason] of unreadable) {
    it(`responds with the reason ${reason} when it gets ${title}`, async () => {
      const server = await serve(handle);
      const connection = await open({ target: server.url }, { limits: { messageBytes: 10_000 } });
      const { error } = await connection.askModern('prompts/get', { name: 'a' });
      expect(error?.data).to.deep.equal({ reason });
      await eventually(() => expect(server.open).to.equal(0));
    });
  }

  it('reads a response that is compressed although the request did not accept it', async () => {
    const server = await serve((request, response) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: messageIn(request).id, result: { isSmall: true } });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(body));
    });
    const connection = await open({ target: server.url });
    expect((await connection.askModern('prompts/list')).result).to.deep.equal({ isSmall: true });
    expect(server.received[0]?.headers['accept-encoding']).to.equal('identity');
  });
});
