import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import { Agent as TlsAgent, createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server as RawServer,
  Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type ResponseControl, isConnectTimeout, openUpstream, type Upstream } from '../src/index.ts';

const tls = (file: string): string => readFileSync(join(import.meta.dirname, 'fixtures/tls', file), 'utf8');

interface Heard {
  status: number;
  body: string;
  trailers: readonly string[];
  error: Error | undefined;
}

describe('openUpstream', () => {
  const open: Upstream[] = [];
  const servers: (Server | RawServer)[] = [];
  let connections: number;
  beforeEach(() => {
    connections = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((upstream) => upstream.close()));
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listen(server: Server | RawServer, place: { path: string } | { port: 0 }): Promise<number> {
    servers.push(server);
    server.on('connection', () => {
      connections += 1;
    });
    server.listen({ ...place, ...('port' in place ? { host: '127.0.0.1' } : {}) });
    await once(server, 'listening');
    // SAFETY: the port is read only where it is no pipe.
    return (server.address() as AddressInfo).port;
  }

  const serve = (handle: RequestListener): Promise<number> => listen(createServer(handle), { port: 0 });

  async function way(agent?: Agent, connectMs = 5000): Promise<Upstream> {
    const upstream = await openUpstream({ connectMs, agent });
    open.push(upstream);
    return upstream;
  }

  function ask(upstream: Upstream, origin: string, path = '/'): Promise<Heard> {
    const heard: Heard = { status: 0, body: '', trailers: [], error: undefined };
    return new Promise((resolve) => {
      upstream.send(
        { origin, method: 'POST', path, headers: [], body: Buffer.from('{}') },
        {
          sent: () => undefined,
          answered: (status) => {
            heard.status = status;
          },
          received: (chunk) => {
            heard.body += chunk.toString();
          },
          ended: (trailers) => resolve({ ...heard, trailers }),
          failed: (error) => resolve({ ...heard, error }),
        },
      );
    });
  }

  it('reuses a connection, and opens another for a concurrent request', async () => {
    const port = await serve((request, response) => {
      if (request.url !== '/wait') response.end('here');
    });
    const upstream = await way();
    for (let times = 0; times < 3; times += 1) {
      expect(await ask(upstream, `http://127.0.0.1:${port}`)).to.deep.include({ status: 200, body: 'here' });
      // A server that closes the connection all the same does so with its answer.
      await turn();
    }
    expect(connections).to.equal(1);
    void ask(upstream, `http://127.0.0.1:${port}`, '/wait');
    expect((await ask(upstream, `http://127.0.0.1:${port}`)).body).to.equal('here');
    expect(connections).to.equal(2);
  });

  it('does not reuse a connection that the server is about to close', async () => {
    const port = await serve((_request, response) =>
      response.setHeader('Keep-Alive', 'timeout=1').end('here'),
    );
    const upstream = await way();
    for (let times = 0; times < 2; times += 1) {
      await ask(upstream, `http://127.0.0.1:${port}`);
      await turn();
    }
    expect(connections).to.equal(2);
  });

  it('connects where its agent connects, whatever the address is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-upstream-'));
    try {
      const socketPath = join(folder, 's');
      await listen(
        createServer((request, response) => response.end(request.headers.host)),
        { path: socketPath },
      );
      const options: ConstructorParameters<typeof Agent>[0] & { socketPath: string } = { socketPath };
      const upstream = await way(new Agent(options));
      expect((await ask(upstream, 'http://nobody.invalid:8080')).body).to.equal('nobody.invalid:8080');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('trusts the certificates of its agent, and sends after the handshake', async () => {
    const server = createTlsServer(
      { cert: tls('certificate.pem'), key: tls('key.pem') },
      (_request, response) => response.end('safe'),
    );
    const port = await listen(server, { port: 0 });
    const origin = `https://localhost:${port}`;
    const trusting = await way(new TlsAgent({ ca: tls('certificate.pem') }));
    expect(await ask(trusting, origin)).to.deep.include({ status: 200, body: 'safe' });
    expect((await ask(await way(new TlsAgent()), origin)).error).to.be.an('error');
  });

  const agents = {
    'calls back with an error': (_options: unknown, callback?: (error: Error) => void) => {
      callback?.(new Error('no way'));
      return undefined;
    },
    'makes a connection that closes at once': () => new Socket().destroy(),
  };
  for (const [title, createConnection] of Object.entries(agents)) {
    it(`fails when its agent ${title}`, async () => {
      const agent = Object.assign(new Agent(), { createConnection });
      const { error } = await ask(await way(agent), 'http://127.0.0.1:1');
      expect(error).to.be.an('error');
      expect(isConnectTimeout(error ?? new Error())).to.equal(false);
    });
  }

  it('times out a connection attempt, also of an agent', async () => {
    const silent = new Socket();
    Object.defineProperty(silent, 'connecting', { value: true });
    const agent = Object.assign(new Agent(), { createConnection: () => silent });
    const { error } = await ask(await way(agent, 50), 'http://127.0.0.1:1');
    expect(isConnectTimeout(error ?? new Error())).to.equal(true);
    expect(silent.destroyed).to.equal(true);
  });

  it('passes on informational responses, trailers, and headers byte by byte', async () => {
    const port = await listen(
      createRawServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
          const answer = 'HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nTransfer-Encoding: chunked\r\n\r\n';
          socket.end(Buffer.from(`${answer}2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n`, 'latin1'));
        });
        socket.on('error', () => undefined);
      }),
      { port: 0 },
    );
    const heads: unknown[] = [];
    const trailers = await new Promise<readonly string[]>((resolve, reject) => {
      void way().then((upstream) =>
        upstream.send(
          { origin: `http://127.0.0.1:${port}`, method: 'GET', path: '/', headers: [], body: undefined },
          {
            sent: () => undefined,
            answered: (status, _reason, rawHeaders) => heads.push([status, rawHeaders[1]]),
            received: () => undefined,
            ended: resolve,
            failed: reject,
          },
        ),
      );
    });
    expect(heads).to.deep.equal([
      [103, '</a>'],
      [200, 'café'],
    ]);
    expect(trailers).to.deep.equal(['X-Sum', '1']);
  });

  it('pauses when the receiver is full, and closes the connection when the receiver ends', async () => {
    const left = Promise.withResolvers<void>();
    const hasWritten = Promise.withResolvers<void>();
    const port = await serve((_request, response) => {
      response.once('close', () => left.resolve());
      response.write('first');
      setImmediate(() => response.write('second', () => hasWritten.resolve()));
    });
    const upstream = await way();
    const received: string[] = [];
    const control = Promise.withResolvers<ResponseControl>();
    const both = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<Error>();
    upstream.send(
      { origin: `http://127.0.0.1:${port}`, method: 'GET', path: '/', headers: [], body: undefined },
      {
        sent: () => undefined,
        answered: (_status, _reason, _headers, held) => {
          held.pause();
          control.resolve(held);
        },
        received: (chunk) => {
          received.push(chunk.toString());
          if (received.join('') === 'firstsecond') both.resolve();
        },
        ended: () => undefined,
        failed: failed.resolve,
      },
    );
    const held = await control.promise;
    await hasWritten.promise;
    await turn();
    expect(received).to.deep.equal([]);
    held.resume();
    await both.promise;
    held.abort(new Error('enough'));
    expect((await failed.promise).message).to.equal('enough');
    await left.promise;
  });
});
