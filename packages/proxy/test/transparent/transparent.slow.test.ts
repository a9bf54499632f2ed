import { eventually } from '@portolan/plugin-testing';
import { mock } from 'node:test';
import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as sendRaw,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createRawServer,
  type LookupFunction,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import type { HttpBackend } from '@portolan/plugin-api';
import { begin, Events, open as openRequest, send } from '../support/http-client.ts';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { StoppedListener } from '../support/stopped-listener.ts';
import { ModernClient } from '../support/modern-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';

const TYPE = { 'Content-Type': 'application/json' };
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const STREAM = { 'Content-Type': 'text/event-stream' };

describe('proxy of an HTTP server', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(
    handle: Handle,
    settings: Partial<HttpBackend> & { readonly path?: string } = {},
    options: TestProxyOptions = {},
  ) {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    const { path = '', ...rest } = settings;
    const target = new URL(path, backend.url);
    const all: HttpBackend = {
      carries: 'http',
      transport: 'streamable-http',
      target,
      isRemote: false,
      ...rest,
    };
    return { ...(await proxies.open(all, options)), backend };
  }

  const post = (
    url: URL | string,
    body: string | Buffer = LIST,
    headers: Readonly<Record<string, string>> = {},
  ) => send(url, { method: 'POST', headers: { ...TYPE, ...headers }, body });

  it('E01: forwards bytes and headers of a request unchanged', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    const body = `{ "jsonrpc" :"2.0",\r\n"method":"x","params":{"n":1.0,"a":"${'\u{2028}ü'.repeat(200_000)}"}}\n`;
    const sent = {
      Authorization: 'Bearer mine',
      'X-Odd': 'a, b',
      'Mcp-Session-Id': 'abc',
      Accept: 'a/b;q=1',
      'MCP-Protocol-Version': '2025-06-18',
    };
    await post(url, body, sent);
    const [got] = backend.received;
    expect(got?.body.equals(Buffer.from(body))).to.equal(true);
    const expected = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(got?.headers).to.include({
      ...expected,
      host: backend.url.host,
      'content-length': String(Buffer.byteLength(body)),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': url.host,
      'x-forwarded-proto': 'http',
    });
    const ours = [
      'host',
      'content-length',
      'content-type',
      'connection',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
    ];
    expect(Object.keys(got?.headers ?? {})).to.have.members([...Object.keys(expected), ...ours]);
  });

  it('forwards status, headers, body and trailers of a response unchanged', async () => {
    const { url } = await open((_request, response) => {
      response.writeHead(202, 'Taken', [
        ['Content-Type', 'application/json'],
        ['X-Odd', 'a'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['Mcp-Session-Id', 'id'],
        ['Trailer', 'X-After'],
      ]);
      response.write('{"a":1}\n');
      response.addTrailers({ 'X-After': 'late' });
      response.end('{"b":2}\n');
    });
    const response = await openRequest(url, { method: 'POST', headers: TYPE, body: LIST });
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(response, 'end');
    expect([response.statusCode, response.statusMessage, text]).to.deep.equal([
      202,
      'Taken',
      '{"a":1}\n{"b":2}\n',
    ]);
    expect(response.headers).to.deep.include({
      'set-cookie': ['a=1', 'b=2'],
      'mcp-session-id': 'id',
      'x-odd': 'a',
    });
    expect(response.trailers).to.deep.equal({ 'x-after': 'late' });
  });

  it('forwards compressed responses compressed', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
    const { url } = await open((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': bytes.length }).end(bytes);
    });
    const answer = await post(url);
    expect(answer.headers).to.include({ 'content-encoding': 'gzip', 'content-length': '5' });
  });

  it('E02: forwards events byte for byte as they arrive, and the headers before the first', async () => {
    let write = (_text: string): void => undefined;
    const { url } = await open((_request, response) => {
      response.writeHead(200, STREAM).flushHeaders();
      write = (text) => void response.write(text);
    });
    const response = await openRequest(url, { headers: { Accept: 'text/event-stream' } });
    let got = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (got += chunk));
    const pieces = [
      ': hello\n\n',
      'id: 1\r\nretry: 5\r\ndata: {"a":',
      '1}\r\n\r\n',
      '\n',
      'event: x\rdata\r\r',
    ];
    for (const [at, piece] of pieces.entries()) {
      write(piece);
      await eventually(() => expect(got).to.equal(pieces.slice(0, at + 1).join('')));
    }
    response.destroy();
  });

  it('E05: serves requests while many streams are open', async () => {
    const { url, backend } = await open((request, response) => {
      if (request.method === 'GET') response.writeHead(200, STREAM).flushHeaders();
      else response.end('{}');
    });
    const streams = await Promise.all(
      Array.from({ length: 100 }, async () => new Events(await openRequest(url, {}))),
    );
    expect((await post(url)).status).to.equal(200);
    expect(backend.open).to.equal(100);
    for (const stream of streams) stream.leave();
    await eventually(() => expect(backend.open).to.equal(0));
  });

  it('slows the server down to the reading speed of the client, without loss', async () => {
    const bytes = 48 * 1024 * 1024;
    const piece = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const { url } = await open((_request, response) => {
      const write = (): void => {
        while (written < bytes) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    const answer = await openRequest(url, { method: 'POST', headers: TYPE, body: LIST });
    let before = -1;
    while (before !== written) {
      before = written;
      await pass(100);
    }
    expect(written).to.be.lessThan(bytes / 2);
    let received = 0;
    for await (const chunk of answer) received += chunk.length;
    expect(received).to.equal(bytes);
  });

  it('E06: breaks the response off when the server does', async () => {
    const { url } = await open((_request, response) => {
      response.writeHead(200, STREAM);
      response.write('data: 1\n\n', () => response.destroy());
    });
    const events = new Events(await openRequest(url, {}));
    await events.over();
    expect([events.isBroken, events.isOver]).to.deep.equal([true, false]);
  });

  it('disconnects from the server when the client disconnects', async () => {
    const { url, backend, proxy } = await open(() => undefined);
    const request = begin(url, { headers: TYPE });
    request.end(LIST);
    await eventually(() => expect([backend.open, proxy.stats.waiting]).to.deep.equal([1, 1]));
    request.destroy();
    await eventually(() => expect([backend.open, proxy.stats.waiting]).to.deep.equal([0, 0]));
  });

  it('E07: responds with 502 and the id when nothing listens', async () => {
    const { url, backend } = await open(() => undefined);
    await backend.close();
    const answer = await post(url, '{"jsonrpc":"2.0","id":"mine","method":"ping"}');
    expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([502, 'mine', -32603]);
    // The proxy sent nothing, so a client may send the request again.
    expect(answer.headers['retry-after']).to.equal('5');
  });

  it('E07: responds with 502 when a name does not resolve', async () => {
    const lookup: LookupFunction = (name, _options, done) => {
      done(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }), '', 4);
    };
    const agent = new Agent({ lookup });
    const target = new URL('http://nowhere.acme.example/');
    const { url } = await open(() => undefined, { target, isRemote: true, agent });
    const answer = await post(url);
    expect([answer.status, answer.json.error.message]).to.deep.equal([
      502,
      'The server cannot be reached (ENOTFOUND).',
    ]);
    expect(answer.headers).not.to.have.property('retry-after');
  });

  it('E07: responds with 504 when the connection times out', async () => {
    const stopped = await StoppedListener.start();
    try {
      const { url } = await open(() => undefined, { target: stopped.url }, { limits: { connectMs: 100 } });
      const answer = await post(url);
      expect([answer.status, answer.json.id]).to.deep.equal([504, 1]);
    } finally {
      await stopped.close();
    }
  });

  /** Opens a server that writes the same bytes to every connection. */
  async function openRaw(answer: string) {
    const server = createRawServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { url, proxy } = await open(() => undefined, { target: new URL(`http://127.0.0.1:${port}`) });
    const close = async (): Promise<void> => {
      await proxy.close();
      await new Promise((resolve) => server.close(resolve));
    };
    return { url, proxy, close };
  }

  it('removes control characters from the reason phrase of a response', async () => {
    const { url, close } = await openRaw('HTTP/1.1 200 O\u0001\u0000K\u007f\r\nContent-Length: 2\r\n\r\n{}');
    const answer = await post(url);
    expect([answer.status, answer.text]).to.deep.equal([200, '{}']);
    await close();
  });

  const noAnswers = [
    { title: 'with an invalid status', head: 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n' },
    { title: 'that switches to another protocol', head: 'HTTP/1.1 101 Other\r\n\r\n' },
    {
      title: 'that switches to a protocol with a name',
      head: 'HTTP/1.1 101 Other\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n',
    },
  ];
  for (const { title, head } of noAnswers) {
    it(`responds with 502 and the id instead of a response ${title}`, async () => {
      const { url, proxy, close } = await openRaw(head);
      const answer = await post(url);
      expect([answer.status, answer.json.id]).to.deep.equal([502, 1]);
      await eventually(() => expect(proxy.stats.waiting).to.equal(0));
      await close();
    });
  }

  it('refuses paths that a parser could read as another server', async () => {
    const elsewhere = await HttpBackendUnderTest.start((_request, response) => response.end('elsewhere'));
    backends.push(elsewhere);
    const { origin, backend } = await open((_request, response) => response.end('{}'));
    const paths = [`//${elsewhere.url.host}/mcp`, `/\\${elsewhere.url.host}/mcp`];
    for (const path of paths) {
      const sent = sendRaw(origin, { method: 'POST', path, headers: TYPE, agent: false });
      sent.end(LIST);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const { error } = JSON.parse(await readText(answer));
      expect([answer.statusCode, error.code]).to.deep.equal([404, -32600]);
    }
    expect(backend.received).to.deep.equal([]);
    expect(elsewhere.received).to.deep.equal([]);
  });

  it('refuses HTTP methods that the protocol does not use', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    for (const method of ['TRACE', 'PUT', 'PATCH', 'PROPFIND']) {
      const answer = await send(url, { method });
      expect([answer.status, answer.headers.allow]).to.deep.equal([405, 'POST, GET, DELETE, HEAD, OPTIONS']);
    }
    expect(backend.received).to.deep.equal([]);
  });

  it('responds with 504 when the TLS handshake times out', async () => {
    const sockets: Socket[] = [];
    const server = createRawServer((socket) => sockets.push(socket.on('error', () => undefined).resume()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const target = new URL(`https://127.0.0.1:${port}`);
    const { url } = await open(() => undefined, { target, isRemote: true }, { limits: { connectMs: 100 } });
    expect((await post(url)).status).to.equal(504);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('connects through a given agent, such as a Unix socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-proxy-'));
    const path = join(folder, 'ingress.sock');
    const server = createServer((_request, response) => response.end('{"over":"socket"}'));
    server.listen(path);
    await once(server, 'listening');
    const agent = new Agent({ keepAlive: true });
    agent.createConnection = () => connect(path);
    const { url, proxy } = await open(() => undefined, { target: new URL('http://localhost:8080'), agent });
    expect((await post(url)).json).to.deep.equal({ over: 'socket' });
    await proxy.close();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  it('waits for a slow response without a time limit', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const { url } = await open(
      (_request, response) => asked.resolve(response),
      {},
      { limits: { connectMs: 1000, requestMs: 1000 } },
    );
    const late = post(url);
    const response = await asked.promise;
    await pass(1500); // longer than every limit
    response.end('{"late":1}');
    expect((await late).json).to.deep.equal({ late: 1 });
  });

  it('E14: forwards the 404 of a lost session', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}';
    const { url } = await open((_request, response) => response.writeHead(404, TYPE).end(body));
    const answer = await post(url, LIST, { 'Mcp-Session-Id': 'lost' });
    expect([answer.status, answer.text]).to.deep.equal([404, body]);
  });

  it('E15: forwards the 404 of an unknown method, and does not repeat the request', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}';
    const { url, backend } = await open((_request, response) => response.writeHead(404, TYPE).end(body));
    const answer = await new ModernClient(url).post({ method: 'tools/none' });
    expect([answer.status, answer.text]).to.deep.equal([404, body]);
    expect(backend.received).to.have.length(1);
  });

  it('E03: forwards duplicate names in a JSON object', async () => {
    const two = '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","method":"x"}';
    const { url } = await open((_request, response) => response.writeHead(200, TYPE).end(two));
    expect((await post(url)).text).to.equal(two);
  });

  it('E04: keeps a stream open that is silent for six minutes', async () => {
    let write = (_text: string): void => undefined;
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    try {
      const { url } = await open((_request, response) => {
        response.writeHead(200, STREAM).flushHeaders();
        write = (text) => void response.write(text);
      });
      const response = await openRequest(url, { headers: { Accept: 'text/event-stream' } });
      mock.timers.tick(6 * 60_000);
      write('data: late\n\n');
      const [chunk] = await once(response, 'data');
      expect(String(chunk)).to.equal('data: late\n\n');
      response.destroy();
    } finally {
      mock.timers.reset();
    }
  });

  it('E20: sends a Host header that servers with a host check accept', async () => {
    const { url, backend } = await open((request, response) =>
      response.writeHead(request.headers.host === backend.url.host ? 200 : 421).end('{}'),
    );
    expect((await post(url)).status).to.equal(200);
  });

  const sessionless = [
    { title: 'initialize', body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}', keeps: false },
    {
      title: 'a Modern request',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
      keeps: false,
    },
    { title: 'a plain request', body: LIST, keeps: true },
    { title: 'an unparsable body', body: '{"jsonrpc":', keeps: true },
  ];
  for (const { title, body, keeps } of sessionless) {
    it(`E16: ${keeps ? 'keeps' : 'removes'} the session id ${keeps ? 'of' : 'from'} ${title}`, async () => {
      const { url, backend } = await open((_request, response) => response.end('{}'));
      await post(url, body, { 'Mcp-Session-Id': 'old' });
      expect(backend.received[0]?.headers['mcp-session-id']).to.equal(keeps ? 'old' : undefined);
    });
  }

  it('removes hop-by-hop headers, and forwarding headers of untrusted peers', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    await post(url, LIST, {
      Connection: 'keep-alive, X-Private',
      'X-Private': 'a',
      TE: 'trailers',
      'Proxy-Authorization': 'Basic x',
      'X-Forwarded-For': '1.2.3.4',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Prefix': '/evil',
      Forwarded: 'for=1.2.3.4',
      'X-Real-IP': '1.2.3.4',
    });
    const got = backend.received[0]?.headers ?? {};
    for (const name of [
      'x-private',
      'te',
      'proxy-authorization',
      'forwarded',
      'x-real-ip',
      'x-forwarded-prefix',
    ]) {
      expect(got).to.not.have.property(name);
    }
    expect(got).to.include({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': url.host });
  });

  it('keeps forwarding headers of a trusted proxy', async () => {
    const { url, backend } = await open(
      (_request, response) => response.end('{}'),
      {},
      { trustProxyHeaders: true },
    );
    await post(url, LIST, {
      'X-Forwarded-For': '1.2.3.4',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'acme.example',
    });
    expect(backend.received[0]?.headers).to.include({
      'x-forwarded-for': '1.2.3.4, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'acme.example',
    });
  });

  it('forwards any body to the server when there is no policy', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    const sent: readonly [body: string, headers: Readonly<Record<string, string>>][] = [
      [LIST, { 'Content-Type': 'text/plain' }],
      [LIST, { 'Content-Encoding': 'gzip' }],
      [`[${LIST},${LIST}]`, {}],
      ['{"jsonrpc":"2.0","method":"a","method":"b","id":null}', {}],
      ['no JSON', {}],
    ];
    for (const [body, headers] of sent) {
      expect((await post(url, body, headers)).status).to.equal(200);
      expect(backend.received.at(-1)?.body.toString()).to.equal(body);
      expect(backend.received.at(-1)?.headers).to.include(lowerCased(headers));
    }
  });

  it('A23: refuses GET and DELETE for revisions without a handshake', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(url, { method, headers: { 'MCP-Protocol-Version': '2026-07-28' } });
      expect([answer.status, answer.headers.allow]).to.deep.equal([405, 'POST']);
    }
    expect(backend.received).to.deep.equal([]);
  });

  it('refuses foreign origins, foreign hosts, large bodies and unknown well-known paths, as for a stdio server', async () => {
    const { url, backend } = await open((_request, response) => response.end('{}'));
    const answers = [
      await post(url, LIST, { Origin: 'https://evil.example' }),
      await post(url, LIST, { Host: 'evil.example' }),
      await post(url, Buffer.alloc(9 * 1024 * 1024, 0x20)),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 413]);
    expect((await send(new URL('/.well-known/x', url))).status).to.equal(404);
    expect(backend.received).to.deep.equal([]);
  });

  describe('with a remote', () => {
    it('E18: requests the path of the remote, with its query first and commas unchanged', async () => {
      const { url, backend } = await open((_request, response) => response.end('{}'), {
        path: '/v1/mcp?fields=a,b&x=%2C',
        isRemote: true,
      });
      expect(url.pathname).to.equal('/v1/mcp');
      await post(new URL('/anything?c=1,2', url));
      expect(backend.received[0]?.url).to.equal('/v1/mcp?fields=a,b&x=%2C&c=1,2');
      expect(backend.received[0]?.headers).to.include({
        host: backend.url.host,
        'x-forwarded-proto': 'http',
      });
      expect(backend.received[0]?.headers).to.not.have.property('x-forwarded-host');
    });

    it('replaces headers of the client by the configured ones', async () => {
      const forwardHeaders = [
        { name: 'X-Api-Key', value: 'key = 1' },
        { name: 'Authorization', value: 'Bearer ours' },
      ];
      const { url, backend } = await open((_request, response) => response.end('{}'), {
        isRemote: true,
        forwardHeaders,
      });
      await post(url, LIST, { 'x-api-key': 'theirs', Authorization: 'Bearer theirs' });
      expect(backend.received[0]?.headers).to.include({
        'x-api-key': 'key = 1',
        authorization: 'Bearer ours',
      });
    });

    it('does not open with a forbidden header', async () => {
      const forwardHeaders = [{ name: 'Host', value: 'a' }];
      try {
        await open(() => undefined, { isRemote: true, forwardHeaders });
      } catch (error) {
        expect(error).to.have.property('code', 'ERR_FORWARDED_HEADER_RESTRICTED');
        return;
      }
      expect.fail('it was opened');
    });
  });

  describe('redirect (E19)', () => {
    it('on the same host is followed, with method and body', async () => {
      for (const status of [301, 302, 307, 308]) {
        const { url, backend } = await open((request, response) => {
          if (request.url === '/mcp/?a=1') response.end('{"there":1}');
          else response.writeHead(status, { Location: '/mcp/?a=1' }).end('moved');
        });
        expect((await post(url)).json).to.deep.equal({ there: 1 });
        expect(backend.received.map(({ method, body }) => [method, String(body)])).to.deep.equal(
          Array.from({ length: 2 }, () => ['POST', LIST]),
        );
      }
    });

    it('is followed before its own body ends', async () => {
      const { url, backend } = await open((request, response) => {
        if (request.url === '/mcp/') response.end('{"there":1}');
        else response.writeHead(307, { Location: '/mcp/' }).write('moved');
      });
      expect((await post(url)).json).to.deep.equal({ there: 1 });
      await eventually(() => expect(backend.open).to.equal(0));
    });

    for (const { title, agent, expected } of [
      { title: 'to TLS on the same host is followed', agent: undefined, expected: true },
      { title: 'to TLS is refused where an agent leads to the server', agent: new Agent(), expected: false },
    ]) {
      it(title, async () => {
        let saysHello = false;
        const server = createRawServer((socket) => {
          socket
            .on('error', () => undefined)
            .once('data', ([first]) => {
              saysHello ||= first === 0x16;
              const answer = `HTTP/1.1 307 Moved\r\nLocation: https://127.0.0.1:${port}/mcp\r\nContent-Length: 0\r\n\r\n`;
              socket.end(first === 0x16 ? '' : answer);
            });
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const target = new URL(`http://127.0.0.1:${port}/mcp`);
        const { url } = await open(() => undefined, {
          target,
          isRemote: agent === undefined,
          ...(agent && { agent }),
        });
        expect((await post(url)).status).to.equal(502);
        expect(saysHello).to.equal(expected);
        agent?.destroy();
        await new Promise((resolve) => server.close(resolve));
      });
    }

    const refused = [
      { title: 'to another host', location: 'http://elsewhere.invalid/mcp' },
      { title: 'to another port', location: 'http://127.0.0.1:1/mcp' },
      { title: 'to an invalid address', location: 'http://[' },
      { title: 'to another protocol', location: 'ftp://127.0.0.1/mcp' },
      { title: 'in a loop', location: '/mcp' },
    ];
    for (const { title, location } of refused) {
      it(`${title} is refused`, async () => {
        const { url, backend } = await open((_request, response) => {
          response.writeHead(307, { Location: location }).end();
        });
        const answer = await post(url);
        expect([answer.status, answer.json.id]).to.deep.equal([502, 1]);
        expect(backend.received.length).to.be.lessThan(12);
      });
    }
  });

  describe('with an HTTP+SSE server', () => {
    const announce =
      (data: string): Handle =>
      (request, response) => {
        if (request.method === 'POST') {
          response.writeHead(202).end('Accepted');
          return;
        }
        response.writeHead(200, STREAM);
        response.write(`event: endpoint\ndata: ${data}\n\n`);
        response.write(': note\n\ndata: {"endpoint":"event: endpoint"}\r\n\r\n');
      };
    const endpoints = [
      { title: 'a relative endpoint unchanged', data: '/messages?s=1', expected: '/messages?s=1' },
      { title: 'an endpoint without a slash as a path', data: 'messages?s=1', expected: '/messages?s=1' },
      { title: 'an absolute endpoint as a path', data: 'SELF/messages?s=1', expected: '/messages?s=1' },
      {
        title: 'an endpoint behind the configured prefix',
        data: '/messages',
        options: { endpointPrefix: '/p' },
        expected: '/p/messages',
      },
      {
        title: 'an endpoint behind the prefix of a trusted proxy',
        data: '/messages',
        options: { trustProxyHeaders: true },
        headers: { 'X-Forwarded-Prefix': '/p' },
        expected: '/p/messages',
      },
      {
        title: 'an endpoint without the prefix of an untrusted peer',
        data: '/messages',
        headers: { 'X-Forwarded-Prefix': '/p' },
        expected: '/messages',
      },
      {
        title: 'an absolute endpoint under the host of a trusted proxy',
        data: 'SELF/messages',
        options: { trustProxyHeaders: true },
        headers: { 'X-Forwarded-Host': 'acme.example', 'X-Forwarded-Proto': 'https' },
        expected: 'https://acme.example/messages',
      },
      {
        title: 'an absolute endpoint under the port of a trusted proxy',
        data: 'SELF/messages',
        options: { trustProxyHeaders: true },
        headers: {
          'X-Forwarded-Host': 'acme.example',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Port': '8443',
        },
        expected: 'https://acme.example:8443/messages',
      },
    ];
    for (const { title, data, options = {}, headers = {}, expected } of endpoints) {
      it(`E17: announces ${title}`, async () => {
        const { url, backend } = await open(announce(data), { transport: 'sse' }, options);
        backend.handle = announce(data.replace('SELF', backend.url.origin));
        expect(url.pathname).to.equal('/sse');
        const events = new Events(await openRequest(url, { headers }));
        await eventually(() => expect(events.all).to.have.length(2));
        expect(events.all[0]).to.deep.include({ event: 'endpoint', data: expected });
        expect(events.all[1]?.data).to.equal('{"endpoint":"event: endpoint"}');
        expect(backend.received[0]?.headers['accept-encoding']).to.equal('identity');
        events.leave();
      });
    }

    it('E17: breaks off a stream whose endpoint is on another host', async () => {
      const { url } = await open(announce('http://elsewhere.invalid/messages'), { transport: 'sse' });
      const events = new Events(await openRequest(url, {}));
      await events.over();
      expect([events.isBroken, events.all]).to.deep.equal([true, []]);
    });

    it('refuses a stream that it cannot read', async () => {
      const { url } = await open(
        (_request, response) => response.writeHead(200, { ...STREAM, 'Content-Encoding': 'br' }).end('x'),
        { transport: 'sse' },
      );
      expect((await send(url)).status).to.equal(502);
    });

    it('posts messages to the announced path of a remote, and other requests to its own path', async () => {
      const { url, backend } = await open(announce('/v1/messages?s=1'), {
        transport: 'sse',
        isRemote: true,
        path: '/v1/sse?k=1',
      });
      const events = new Events(await openRequest(new URL('/sse', url), {}));
      await eventually(() => expect(events.all.length).to.be.greaterThan(0));
      await post(new URL(events.all[0]?.data ?? '', url));
      expect(backend.received.map((request) => request.url)).to.deep.equal([
        '/v1/sse?k=1',
        '/v1/messages?s=1',
      ]);
      events.leave();
    });
  });

  describe('health check', () => {
    const health = { intervalMs: 10, pingMs: 10_000, retryMs: 5, failures: 3 };
    const reportOf = async (origin: string) => {
      const answer = await send(`${origin}/health`);
      return { status: answer.status, ...answer.json };
    };

    it('E23: starts after the first response, and holds no stream open', async () => {
      const { origin, url, backend } = await open(
        (request, response) => {
          if (request.method === 'GET') response.writeHead(200, STREAM).flushHeaders();
          else response.end('{}');
        },
        {},
        { limits: { health } },
      );
      expect(await reportOf(origin))
        .to.include({ status: 'healthy' })
        .and.not.have.property('mcp');
      await post(url);
      await eventually(async () => expect((await reportOf(origin)).mcp).to.include({ available: true }));
      await eventually(() => expect(backend.received.length).to.be.greaterThan(3));
      await eventually(() => expect(backend.open).to.be.lessThan(2));
    });

    for (const status of [401, 405]) {
      it(`E22: accepts the status ${status} as healthy`, async () => {
        const { origin, url } = await open(
          (request, response) => response.writeHead(request.method === 'GET' ? status : 200).end('{}'),
          {},
          { limits: { health } },
        );
        await post(url);
        await eventually(async () => expect((await reportOf(origin)).mcp).to.include({ available: true }));
      });
    }

    it('reports the recovery of the server, and its next failure', async () => {
      const told: string[] = [];
      let status = 500;
      const { origin, url } = await open(
        (request, response) => response.writeHead(request.method === 'GET' ? status : 200).end('{}'),
        {},
        {
          limits: { health },
          failing: (reason) => told.push(reason),
          recovered: () => told.push('recovered'),
        },
      );
      await post(url);
      await eventually(async () => expect(await reportOf(origin)).to.include({ status: 'unhealthy' }));
      await eventually(() => expect(told).to.have.length.above(1));
      status = 200;
      await eventually(() => expect(told).to.include('recovered'));
      expect(await reportOf(origin)).to.include({ status: 'healthy' });
      const before = told.length;
      status = 500;
      await eventually(() => expect(told.slice(before)).to.include('Health check failed'));
      expect(told.filter((one) => one === 'recovered')).to.have.length(1);
    });

    it('E22: reports a failure', async () => {
      const told: string[] = [];
      const { origin, url, backend } = await open(
        (_request, response) => response.end('{}'),
        {},
        { limits: { health }, failing: (reason) => told.push(reason) },
      );
      await post(url);
      await backend.close();
      await eventually(async () => expect(await reportOf(origin)).to.include({ status: 'unhealthy' }));
      expect((await reportOf(origin)).mcp)
        .to.have.property('error')
        .that.includes('ECONNREFUSED');
      // The warning repeats after the same number of failures.
      expect(new Set(told)).to.deep.equal(new Set(['Health check failed']));
    });
  });

  describe('refused credentials of a remote', () => {
    const refusing = async (isRemote: boolean, forwardHeaders: HttpBackend['forwardHeaders'] = []) => {
      const told: boolean[] = [];
      let status = 401;
      const opened = await open(
        (_request, response) => response.writeHead(status).end('{}'),
        { isRemote, forwardHeaders },
        { refused: (isRefused) => told.push(isRefused) },
      );
      return { ...opened, told, answerWith: (next: number) => void (status = next) };
    };
    const MINE = { Authorization: 'Bearer mine' };

    it('are reported once, and so is the next success', async () => {
      const { url, told, answerWith } = await refusing(true, [
        { name: 'authorization', value: 'Bearer ours' },
      ]);
      for (const status of [401, 401, 403, 500, 200, 200, 401]) {
        answerWith(status);
        await post(url, LIST, MINE);
      }
      expect(told).to.deep.equal([true, false, true]);
    });

    it('are reported without credentials of the workload, but not for those of a client', async () => {
      const { url, told, answerWith } = await refusing(true);
      await post(url, LIST, MINE);
      expect(told).to.deep.equal([]);
      await post(url);
      expect(told).to.deep.equal([true]);
      answerWith(200);
      await post(url, LIST, MINE);
      expect(told).to.deep.equal([true, false]);
    });

    it('are not reported for a local server', async () => {
      const { url, told } = await refusing(false);
      await post(url);
      expect(told).to.deep.equal([]);
    });
  });
});

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
