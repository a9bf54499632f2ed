import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { expect } from 'chai';
import { type NetworkPermissions, readEgressRules } from '@portolan/outbound';
import type { EgressEvent } from '../../src/policy/egress-event.ts';
import { EgressJudge, type EgressPolicy } from '../../src/policy/egress-judge.ts';
import { type EgressLimits, EgressProxy } from '../../src/proxy/egress-proxy.ts';
import type { EngineNetworks } from '../../src/policy/network-reader.ts';
import { readUpstreamProxies } from '../../src/policy/upstream-proxy.ts';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import { exchangeRaw, openRawTunnel } from '../stage/raw-request.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';

/** Loopback plays the gateway of the default bridge, so that the test can reach it inside one host. */
const ENGINE: EngineNetworks = {
  defaultGateway: '127.0.0.1',
  gateways: ['172.18.0.1'],
  subnets: ['172.17.0.0/16', '172.18.0.0/16'],
};

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'loopback.acme.example': ['127.0.0.9'],
  'own.acme.example': ['192.0.2.2'],
  'bridge.acme.example': ['172.17.0.1'],
  'container.acme.example': ['172.18.0.5'],
  'metadata.acme.example': ['169.254.169.254'],
  'six.acme.example': ['::1', 'fe80::1'],
};

describe('EgressProxy', () => {
  let folder: string;
  let opened: { close(): unknown }[];
  let events: EgressEvent[];
  let lookups: string[];
  const socketPath = (): string => path.join(folder, 'egress.sock');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pe-'));
    [opened, events, lookups] = [[], [], []];
  });
  afterEach(async () => {
    for (const one of opened.toReversed()) await one.close();
    await rm(folder, { recursive: true });
  });

  async function start(
    network: NetworkPermissions | undefined,
    more: Partial<EgressPolicy> = {},
    limits: Partial<EgressLimits> = {},
  ): Promise<EgressProxy> {
    const context = {
      readEngineNetworks: () => Promise.resolve(ENGINE),
      readHostAddresses: () => Promise.resolve(['192.0.2.2', '172.17.0.1']),
      lookup: (name: string) => {
        lookups.push(name);
        return Promise.resolve(ADDRESSES[name] ?? []);
      },
    };
    const judge = new EgressJudge({
      rules: readEgressRules(network),
      allowContainerGateway: false,
      context,
      ...more,
    });
    const proxy = await EgressProxy.open({
      workload: 'notes',
      socket: socketPath(),
      judge,
      onEvent: (event) => events.push(event),
      limits,
    });
    opened.push(proxy);
    return proxy;
  }

  async function listen(server: Server | HttpServer): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    // SAFETY: the server listens on a TCP port.
    return (server.address() as AddressInfo).port;
  }

  const open: Partial<EgressPolicy> = { allowContainerGateway: true };
  const none: NetworkPermissions = { outbound: {} };
  const all = undefined;
  const listed = (...allow_host: readonly string[]): NetworkPermissions => ({
    outbound: { allow_host, allow_port: [443, 80] },
  });

  const refusals: readonly (readonly [string, NetworkPermissions | undefined, string, number])[] = [
    ['127.0.0.1:80', none, 'container-gateway', 403],
    ['172.18.0.1:80', all, 'container-gateway', 403],
    ['0xac120001:80', all, 'container-gateway', 403],
    ['[::ffff:172.18.0.1]:80', listed('172.18.0.1'), 'container-gateway', 403],
    ['host.docker.internal:80', all, 'container-gateway', 403],
    ['HOST.docker.internal.:80', listed('host.docker.internal'), 'container-gateway', 403],
    ['host。docker。internal:80', listed('.internal'), 'host-invalid', 400],
    ['gateway.docker.internal:443', all, 'container-gateway', 403],
    ['host.containers.internal:443', all, 'container-gateway', 403],
    ['x.example:443', none, 'nothing-allowed', 403],
    ['x.example:443', listed('y.example'), 'host-not-allowed', 403],
    ['y.example:8443', listed('y.example'), 'port-not-allowed', 403],
    ['unknown.acme.example:443', all, 'name-not-resolved', 502],
    ['127.0.0.2:80', all, 'address-special', 403],
    ['localhost:80', all, 'name-not-resolved', 502],
    ['0:80', all, 'address-special', 403],
    ['[::]:80', all, 'address-special', 403],
    ['[::1]:80', listed('::1'), 'address-special', 403],
    ['[64:ff9b::7f00:1]:80', all, 'address-special', 403],
    ['169.254.169.254:80', listed('169.254.0.0/16'), 'address-metadata', 403],
    ['192.0.2.2:80', listed('192.0.2.2'), 'address-this-host', 403],
    ['3221225986:80', all, 'address-this-host', 403],
    ['172.17.0.9:80', all, 'address-container-network', 403],
    ['172.17.0.9:80', listed('172.18.0.0/16', '172.17.0.8'), 'host-not-allowed', 403],
    ['loopback.acme.example:443', listed('.acme.example'), 'address-special', 403],
    ['own.acme.example:443', listed('.acme.example'), 'address-this-host', 403],
    ['bridge.acme.example:443', listed('.acme.example'), 'address-this-host', 403],
    ['container.acme.example:443', listed('.acme.example'), 'address-container-network', 403],
    ['metadata.acme.example:443', listed('.acme.example'), 'address-metadata', 403],
    ['six.acme.example:443', listed('.acme.example'), 'address-special', 403],
    ['acme.example', all, 'host-invalid', 400],
    ['user@acme.example:443', all, 'host-invalid', 400],
  ];
  for (const [authority, network, reason, status] of refusals) {
    it(`refuses ${authority} with ${status} ${reason}`, async () => {
      await start(network);
      const requests = [`CONNECT ${authority} HTTP/1.1\r\n\r\n`];
      if (/:\d+$/.test(authority))
        requests.push(`GET http://${authority}/ HTTP/1.1\r\nConnection: close\r\n\r\n`);
      for (const request of requests) {
        const answer = await exchangeRaw({ path: socketPath() }, Buffer.from(request).toString('latin1'));
        expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} Refused: [ -~]+\r\n`));
        // not HTTP, so the response has no reason header
        if (answer.includes('request-invalid') || answer.includes('no HTTP request')) continue;
        expect(answer).to.match(new RegExp(`\r\nPortolan-Refused: ${reason}; [ -~]+\r\n`));
        expect(events.at(-1)).to.include({ workload: 'notes', allowed: false, rule: reason });
      }
      expect(events).to.have.lengthOf(requests.length);
    });
  }

  for (const [title, request] of [
    ['a request in origin form', 'GET / HTTP/1.1\r\nHost: acme.example\r\n\r\n'],
    ['a URL of another scheme', 'GET https://acme.example/ HTTP/1.1\r\n\r\n'],
    ['a URL with a user', 'GET http://user:pw@acme.example/ HTTP/1.1\r\n\r\n'],
    ['a URL without a host', 'GET http:///x HTTP/1.1\r\n\r\n'],
    ['a URL with a backslash', 'GET http://acme.example\\@x.example/ HTTP/1.1\r\n\r\n'],
    [
      'a body coded for the connection',
      'POST http://acme.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    ],
    [
      'two framings',
      'POST http://acme.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n',
    ],
    ['garbage', '\u0016\u0003\u0001 garbage\r\n\r\n'],
    ['a head that is too long', `GET http://acme.example/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ] as const) {
    it(`refuses ${title}`, async () => {
      await start(listed('acme.example', 'x.example'));
      const answer = await exchangeRaw({ path: socketPath() }, request);
      expect(answer).to.match(/^HTTP\/1.1 400 Refused: /);
      expect(lookups).to.deep.equal([]);
      expect(events).to.have.lengthOf(1);
    });
  }

  it('refuses every connection while the engine does not list its networks, then recovers', async () => {
    let fails = true;
    const readEngineNetworks = (): Promise<EngineNetworks> =>
      fails ? Promise.reject(new Error('no engine')) : Promise.resolve(ENGINE);
    await start(none, { context: { readEngineNetworks } });
    const request = 'CONNECT x.example:443 HTTP/1.1\r\n\r\n';
    expect(await exchangeRaw({ path: socketPath() }, request)).to.match(
      /^HTTP\/1.1 503 .*\r\nPortolan-Refused: surroundings-unknown/,
    );
    fails = false;
    expect(await exchangeRaw({ path: socketPath() }, request)).to.include('nothing-allowed');
  });

  const echo: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        response.writeHead(201, 'Made', {
          'X-Kept': 'yes',
          Connection: 'x-dropped',
          'X-Dropped': 'no',
          'Keep-Alive': 'no',
        });
        response.end(
          JSON.stringify({
            url: request.url,
            method: request.method,
            headers: request.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
  };

  it('permits every port of the host gateway by its setting, even with no allowed host', async () => {
    const port = await listen(createTcpServer((socket) => socket.pipe(socket)));
    await start(none, open);
    for (const host of [
      'host.docker.internal',
      'GATEWAY.docker.internal.',
      'host.containers.internal',
      '172.18.0.1',
      '2130706433',
    ]) {
      const tunnel = await openRawTunnel({ path: socketPath() }, `${host}:${port}`);
      tunnel.end('hello');
      const [chunk] = (await once(tunnel.resume(), 'data')) as [Buffer];
      expect(chunk.toString()).to.equal('hello');
      tunnel.destroy();
      expect(events.at(-1)).to.include({ allowed: true, rule: 'container-gateway', via: '127.0.0.1', port });
    }
    const answer = await exchangeRaw({ path: socketPath() }, 'CONNECT 127.0.0.2:80 HTTP/1.1\r\n\r\n');
    expect(answer).to.include('nothing-allowed');
  });

  it('rebuilds a plain request from its URL and drops connection headers', async () => {
    const port = await listen(createServer(echo));
    await start(none, open);
    const head = `POST http://HOST.docker.internal:${port}/a/../b?c=%20d HTTP/1.1\r\n`;
    const fields = [
      'Host: evil.example',
      'Connection: close, X-Secret',
      'X-Secret: 1',
      'Proxy-Authorization: Basic eA==',
      'Upgrade: websocket',
      'TE: trailers',
      'X-Kept: 2',
      'Content-Length: 4',
    ];
    const answer = await exchangeRaw({ path: socketPath() }, `${head}${fields.join('\r\n')}\r\n\r\nbody`);
    expect(answer)
      .to.match(/^HTTP\/1.1 201 Made\r\n/)
      .and.include('X-Kept: yes')
      .and.not.match(/X-Dropped|x-dropped/);
    expect(answer).to.include('"url":"/b?c=%20d"').and.include('"body":"body"');
    const headers = {
      host: `host.docker.internal:${port}`,
      'x-kept': '2',
      'content-length': '4',
      connection: 'close',
    };
    expect(answer).to.include(`"headers":${JSON.stringify(headers)}`);
  });

  it('forwards no body that the headers do not announce, for any Connection header', async () => {
    const received = Promise.withResolvers<string>();
    const port = await listen(
      createTcpServer((socket) => {
        let bytes = '';
        socket.on('data', (chunk) => {
          bytes += chunk.toString('latin1');
          if (bytes.endsWith(hidden)) received.resolve(bytes);
        });
      }),
    );
    await start(none, open);
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: other.example\r\n\r\n';
    const fields = ['Connection: content-length, host', `Content-Length: ${hidden.length}`];
    const client = connect(socketPath());
    opened.push({ close: () => client.destroy() });
    client.write(
      `GET http://host.docker.internal:${port}/ HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${hidden}`,
    );
    expect(await received.promise)
      .to.include(`Host: host.docker.internal:${port}\r\n`)
      .and.include(`Content-Length: ${hidden.length}\r\n`);
  });

  it('forwards a chunked body, and an empty one as empty', async () => {
    const port = await listen(createServer(echo));
    await start(none, open);
    const head = `POST http://host.docker.internal:${port}/ HTTP/1.1\r\nConnection: close\r\n`;
    const chunked = await exchangeRaw(
      { path: socketPath() },
      `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
    );
    expect(chunked).to.include('"body":"body"').and.include('"transfer-encoding":"chunked"');
    expect(await exchangeRaw({ path: socketPath() }, `${head}\r\n`)).to.include('"content-length":"0"');
  });

  it('decides about each request of a persistent connection', async () => {
    const port = await listen(createServer(echo));
    await start(none, open);
    const first = `GET http://host.docker.internal:${port}/ HTTP/1.1\r\n\r\n`;
    const second = 'GET http://x.example/ HTTP/1.1\r\nConnection: close\r\n\r\n';
    const answer = await exchangeRaw({ path: socketPath() }, first + second);
    expect(answer).to.match(/^HTTP\/1.1 201 Made[^]*HTTP\/1.1 403 Refused/);
    expect(events.map(({ host, allowed }) => `${host} ${allowed}`)).to.have.members([
      'host.docker.internal true',
      'x.example false',
    ]);
  });

  it('responds 502 when an allowed host is unreachable', async () => {
    const port = await listen(createTcpServer());
    opened.pop()?.close();
    await start(none, open);
    for (const request of [
      `CONNECT host.docker.internal:${port} HTTP/1.1\r\n\r\n`,
      `GET http://host.docker.internal:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`,
    ]) {
      expect(await exchangeRaw({ path: socketPath() }, request)).to.match(
        /^HTTP\/1.1 502 Unreachable: ECONNREFUSED\r\n/,
      );
      expect(events.at(-1)).to.include({ allowed: true, failure: 'ECONNREFUSED' });
    }
  });

  it('resolves a name once, and decides by the resolved address', async () => {
    let count = 0;
    const lookup = (): Promise<readonly string[]> =>
      Promise.resolve([count++ === 0 ? '127.0.0.1' : '203.0.113.7']);
    const context = {
      readEngineNetworks: () => Promise.resolve({ ...ENGINE, defaultGateway: undefined }),
      lookup,
    };
    await start(all, { context });
    const answer = await exchangeRaw(
      { path: socketPath() },
      'CONNECT rebind.acme.example:443 HTTP/1.1\r\n\r\n',
    );
    expect(answer).to.include('address-special');
    expect(count).to.equal(1);
  });

  it('refuses connections above its limit, and accepts new ones when others end', async () => {
    await start(none, {}, { connections: 2 });
    const held = [connect(socketPath()), connect(socketPath())];
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    const request = 'CONNECT x.example:443 HTTP/1.1\r\n\r\n';
    expect(await exchangeRaw({ path: socketPath() }, request)).to.equal('');
    expect(events).to.deep.include({ ...events[0], allowed: false, rule: 'too-many-connections' });
    const closed = held.map((socket) => once(socket.destroy(), 'close'));
    await Promise.all(closed);
    let answer = '';
    for (const end = Date.now() + 40_000; answer === '' && Date.now() < end; )
      answer = await exchangeRaw({ path: socketPath() }, request);
    expect(answer).to.match(/^HTTP\/1.1 403 /);
  });

  it('responds to pipelined requests in order, a few at a time', async () => {
    let [current, most] = [0, 0];
    const port = await listen(
      createServer((request, response) => {
        current += 1;
        most = Math.max(most, current);
        setImmediate(() => {
          current -= 1;
          response.end(`<${request.url}>`);
        });
      }),
    );
    await start(none, open);
    const requests = Array.from({ length: 10 }, (_, at) => {
      const more = at === 9 ? 'Connection: close\r\n' : '';
      return `GET http://host.docker.internal:${port}/${at} HTTP/1.1\r\n${more}\r\n`;
    });
    const answers = await exchangeRaw({ path: socketPath() }, requests.join(''));
    expect([...answers.matchAll(/<\/(\d)>/g)].map(([, digit]) => digit).join('')).to.equal('0123456789');
    expect(events.map(({ allowed }) => allowed)).to.deep.equal(requests.map(() => true));
    expect(most).to.be.at.most(2);
  });

  it('closes a connection with too many pipelined requests', async () => {
    let reached = 0;
    const port = await listen(createTcpServer(() => void (reached += 1)));
    await start(none, open);
    const request = `GET http://host.docker.internal:${port}/ HTTP/1.1\r\n\r\n`;
    expect(await exchangeRaw({ path: socketPath() }, request.repeat(100))).to.equal('');
    expect(events.filter(({ rule }) => rule === 'too-many-connections')).to.have.length(1);
    expect(reached).to.be.at.most(2);
  });

  it('does not connect when the client leaves before the decision', async () => {
    let reached = 0;
    const port = await listen(createTcpServer(() => void (reached += 1)));
    const told = Promise.withResolvers<EngineNetworks>();
    const asked = Promise.withResolvers<void>();
    const readEngineNetworks = (): Promise<EngineNetworks> => {
      asked.resolve();
      return told.promise;
    };
    await start(none, { ...open, context: { readEngineNetworks } });
    const client = connect(socketPath());
    client.write(`GET http://host.docker.internal:${port}/ HTTP/1.1\r\n\r\n`);
    await asked.promise;
    await once(client.destroy(), 'close');
    await exchangeRaw({ path: socketPath() }, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    told.resolve(ENGINE);
    for (const end = Date.now() + 40_000; events.length < 2 && Date.now() < end; )
      await new Promise((resolve) => setImmediate(resolve));
    expect(events.at(-1))
      .to.include({ allowed: true, rule: 'container-gateway' })
      .and.have.property('failure');
    expect(reached).to.equal(0);
  });

  it('closes tunnels and requests when it closes', async () => {
    const reached = Promise.withResolvers<Socket>();
    const port = await listen(createTcpServer((socket) => reached.resolve(socket)));
    const proxy = await start(none, open);
    const tunnel = await openRawTunnel({ path: socketPath() }, `host.docker.internal:${port}`);
    const remote = await reached.promise;
    const cut = [tunnel, remote].map(
      (socket) => new Promise((resolve) => socket.resume().once('close', resolve)),
    );
    await proxy.close();
    await Promise.all(cut);
    expect(opened.pop()).to.equal(proxy);
  });

  describe('with an upstream proxy', () => {
    let asked: string[];
    let target: number;
    let proxyPort: number;
    beforeEach(async function () {
      asked = [];
      const { cert, key } = await makeCertificate(folder, ['api.acme.example']).catch(() =>
        skipTest(this, 'openssl is not installed'),
      );
      target = await listen(
        createTlsServer({ cert, key }, (socket) => socket.on('error', () => undefined).end('over TLS')),
      );
      const upstream = createServer((request, response) => {
        asked.push(
          `${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`,
        );
        response.end('by proxy');
      });
      upstream.on('connect', (request, socket) => {
        asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
        if (request.url?.startsWith('refused.')) return socket.end('HTTP/1.1 407 No\r\n\r\n');
        const inward = connect(target, '127.0.0.1');
        socket.on('error', () => inward.destroy());
        inward.on('error', () => socket.destroy());
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        return inward.pipe(socket).pipe(inward);
      });
      proxyPort = await listen(upstream);
    });

    const hosts = ['api.acme.example', 'refused.acme.example', '203.0.113.7', 'own.acme.example'];
    const startBehind = (
      network: NetworkPermissions | undefined,
      more: Partial<EgressPolicy> = {},
    ): Promise<EgressProxy> => {
      const environment = {
        HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxyPort}`,
        http_proxy: `127.0.0.1:${proxyPort}`,
        NO_PROXY: 'direct.example',
      };
      return start(network, { upstream: readUpstreamProxies(environment), ...more });
    };
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;

    it('tunnels to an allowed name through it, even when the name does not resolve here', async () => {
      await startBehind(listed(...hosts));
      const tunnel = await openRawTunnel({ path: socketPath() }, 'api.acme.example:443');
      const tls = connectTls({ socket: tunnel, servername: 'api.acme.example', rejectUnauthorized: false });
      const [chunk] = (await once(tls, 'data')) as [Buffer];
      expect(chunk.toString()).to.equal('over TLS');
      tls.destroy();
      expect(asked).to.deep.equal([`CONNECT api.acme.example:443 ${basic}`]);
      expect(events).to.deep.equal([
        {
          workload: 'notes',
          method: 'CONNECT',
          host: 'api.acme.example',
          port: 443,
          allowed: true,
          rule: 'api.acme.example',
          via: `http://127.0.0.1:${proxyPort}`,
        },
      ]);
    });

    it('sends it the checked address when no name is in the list', async () => {
      await startBehind(all);
      const tunnel = await openRawTunnel({ path: socketPath() }, '203.0.113.7:443');
      tunnel.destroy();
      const surely = await exchangeRaw(
        { path: socketPath() },
        'CONNECT api.acme.example:443 HTTP/1.1\r\n\r\n',
      );
      expect(surely).to.include('name-not-resolved').and.include('named in allow_host');
      expect(asked).to.deep.equal([`CONNECT 203.0.113.7:443 ${basic}`]);
    });

    it('sends it plain HTTP requests by name', async () => {
      await startBehind(listed(...hosts));
      const answer = await exchangeRaw(
        { path: socketPath() },
        'GET http://api.acme.example/x HTTP/1.1\r\nConnection: close\r\n\r\n',
      );
      expect(answer).to.match(/^HTTP\/1.1 200 OK[^]*by proxy/);
      expect(asked).to.deep.equal(['GET http://api.acme.example:80/x api.acme.example undefined']);
    });

    it('checks names and addresses before it contacts the upstream proxy', async () => {
      await startBehind(listed(...hosts));
      for (const authority of ['own.acme.example:443', 'x.example:443', 'host.docker.internal:443']) {
        await exchangeRaw({ path: socketPath() }, `CONNECT ${authority} HTTP/1.1\r\n\r\n`);
      }
      expect(asked).to.deep.equal([]);
      expect(events.map(({ rule }) => rule)).to.deep.equal([
        'address-this-host',
        'host-not-allowed',
        'container-gateway',
      ]);
    });

    it('reports a refusal of the upstream proxy', async () => {
      await startBehind(listed(...hosts));
      const answer = await exchangeRaw(
        { path: socketPath() },
        'CONNECT refused.acme.example:443 HTTP/1.1\r\n\r\n',
      );
      expect(answer).to.match(/^HTTP\/1.1 502 Unreachable: PROXY_407\r\n/);
    });

    for (const [title, servername, seen] of [
      ['another server name', 'evil.acme.example', 'server-name-differs'],
      ['no server name', undefined, 'api.acme.example'],
      ['its name in capitals', 'API.acme.Example', 'api.acme.example'],
    ] as const) {
      it(`decides a tunnel to port 443 with ${title}: ${seen}`, async () => {
        await startBehind(listed(...hosts));
        const tunnel = await openRawTunnel({ path: socketPath() }, 'api.acme.example:443');
        const tls = connectTls({
          socket: tunnel,
          rejectUnauthorized: false,
          ...(servername === undefined ? {} : { servername }),
        });
        const end = Promise.withResolvers<string>();
        tls
          .on('error', (error: NodeJS.ErrnoException) => end.resolve(error.code ?? ''))
          .on('data', () => end.resolve('data'));
        expect(await end.promise).to.equal(
          seen === 'server-name-differs' ? 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' : 'data',
        );
        tls.destroy();
        expect(events.map(({ rule }) => rule)).to.deep.equal([seen]);
      });
    }

    it('closes a tunnel to port 443 without TLS, unless that is permitted', async () => {
      const text = 'CONNECT api.acme.example:443 HTTP/1.1\r\n\r\nSSH-2.0-x\r\n';
      const strict = await startBehind(listed(...hosts));
      expect(await exchangeRaw({ path: socketPath() }, text)).to.equal(
        'HTTP/1.1 200 Connection established\r\n\r\n',
      );
      expect(events).to.have.lengthOf(1);
      expect(events[0]).to.include({ allowed: false, rule: 'not-tls' });
      await strict.close();
      await startBehind(listed(...hosts), { allowPlainOn443: true });
      const loose = await openRawTunnel({ path: socketPath() }, 'api.acme.example:443');
      loose.end('SSH-2.0-x\r\n');
      await once(loose.resume(), 'close');
      expect(events.at(-1)).to.include({ allowed: true });
    });
  });
});
