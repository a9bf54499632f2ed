import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createServer as createRawServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { HttpBackend } from '@portolan/plugin-api';
import { begin, Events, open as openRequest, type Send } from '../support/http-client.ts';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { StoppedListener } from '../support/stopped-listener.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';

/** Headers that mark a request as one of the protocol. */
const OF_PROTOCOL = { 'MCP-Protocol-Version': '2025-06-18' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

// Two libraries forward requests. A server and a client must see no difference.
describe('pages of an HTTP server', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(handle: Handle, settings: Partial<HttpBackend> = {}, options: TestProxyOptions = {}) {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    const opened = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false, ...settings },
      options,
    );
    return { ...opened, page: new URL('/page?a=1&a=2', opened.url), backend };
  }

  const cases: readonly { readonly title: string; readonly sent: Send; readonly handle?: Handle }[] = [
    { title: 'a page', sent: {} },
    { title: 'a HEAD request', sent: { method: 'HEAD' } },
    { title: 'a form', sent: { method: 'POST', headers: FORM, body: 'a=1&b=%00' } },
    { title: 'a POST without a body', sent: { method: 'POST' } },
    { title: 'a DELETE', sent: { method: 'DELETE' } },
    { title: 'an OPTIONS request', sent: { method: 'OPTIONS' } },
    {
      title: 'repeated and unusual headers',
      sent: {
        headers: { 'X-Odd': ['a', 'b, c'], Expect: '100-continue', Connection: 'X-Named', 'X-Named': '1' },
      },
    },
    {
      title: 'a megabyte in each direction',
      sent: { method: 'POST', headers: FORM, body: Buffer.alloc(1024 * 1024, 'ü') },
      handle: ({ body }, response) => response.end(body),
    },
    {
      title: 'status, cookies, trailers and compression',
      sent: {},
      handle: (_request, response) => {
        response.writeHead(418, 'Short', [
          ['Content-Encoding', 'gzip'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['Trailer', 'X-After'],
        ]);
        response.write(Buffer.from([0x1f, 0x8b, 1]));
        response.addTrailers({ 'X-After': 'late' });
        response.end();
      },
    },
    {
      title: 'a redirect on the same host',
      sent: { method: 'POST', headers: FORM, body: 'a=1' },
      handle: ({ url }, response) => {
        if (url === '/there?b=2') response.end('there');
        else response.writeHead(307, { Location: '/there?b=2' }).end('moved');
      },
    },
    {
      title: 'a redirect to another address',
      sent: {},
      handle: (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.2:1/' }).end(),
    },
    {
      title: 'a redirect to itself',
      sent: {},
      handle: (_request, response) => response.writeHead(302, { Location: '/page' }).end(),
    },
  ];
  const here: Handle = (_request, response) => response.end('here');
  for (const { title, sent, handle = here } of cases) {
    it(`pass like messages: ${title}`, async () => {
      const { page, backend } = await open(handle);
      const seen = await Promise.all(
        [{}, OF_PROTOCOL].map(async (headers) => {
          const answer = await openRequest(page, { ...sent, headers: { ...sent.headers, ...headers } });
          const body = await buffer(answer);
          const { date: _date, ...passed } = answer.headers;
          return [answer.statusCode, answer.statusMessage, passed, answer.trailers, body.toString('hex')];
        }),
      );
      expect(seen[0]).to.deep.equal(seen[1]);
      const [first, second] = [false, true].map((isOfProtocol) =>
        backend.received
          .filter(({ headers }) => Object.hasOwn(headers, 'mcp-protocol-version') === isOfProtocol)
          .map(
            ({
              method,
              url,
              headers: { connection, 'mcp-protocol-version': _version, ...headers },
              body,
            }) => {
              expect(connection).to.be.oneOf(['close', 'keep-alive']);
              return { method, url, headers, body: body.toString('hex') };
            },
          ),
      );
      expect(first).to.deep.equal(second).and.to.have.length.greaterThan(0);
    });
  }

  it('get 502 when nothing listens, and 504 when the connection times out', async () => {
    const { page, backend } = await open(() => undefined);
    await backend.close();
    expect((await openRequest(page, {})).resume().statusCode).to.equal(502);
    const stopped = await StoppedListener.start();
    try {
      const { url } = await open(() => undefined, { target: stopped.url }, { limits: { connectMs: 100 } });
      expect((await openRequest(url, {})).resume().statusCode).to.equal(504);
    } finally {
      await stopped.close();
    }
  });

  for (const head of [
    'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 101 Other\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n',
    'no HTTP at all',
  ]) {
    it(`get 502 instead of the response ${JSON.stringify(head)}`, async () => {
      const server = createRawServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(head));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const { port } = server.address() as AddressInfo;
        const { url, proxy } = await open(() => undefined, { target: new URL(`http://127.0.0.1:${port}`) });
        expect((await openRequest(url, {})).resume().statusCode).to.equal(502);
        await eventually(() => expect(proxy.stats.waiting).to.equal(0));
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });
  }

  it('break off when the server disconnects', async () => {
    const { page } = await open((_request, response) => {
      response.writeHead(200);
      response.write('half', () => response.destroy());
    });
    const events = new Events(await openRequest(page, {}));
    await events.over();
    expect([events.isBroken, events.isOver]).to.deep.equal([true, false]);
  });

  it('are aborted at the server when the client disconnects, before and after the response starts', async () => {
    const { page, backend, proxy } = await open(({ url }, response) => {
      if (url === '/begun') response.writeHead(200).flushHeaders();
    });
    const request = begin(page, { method: 'GET' });
    request.end();
    const answer = await openRequest(new URL('/begun', page), {});
    await eventually(() => expect([backend.open, proxy.stats.waiting]).to.deep.equal([2, 2]));
    request.destroy();
    answer.destroy();
    await eventually(() => expect([backend.open, proxy.stats.waiting]).to.deep.equal([0, 0]));
  });
});
