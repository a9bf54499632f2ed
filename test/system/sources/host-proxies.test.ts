import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { makeCertificate } from '../../support/certificate.ts';
import { type Json, RegistryUnderTest } from '../../support/registry-under-test.ts';
import { apiWith, serverDocument } from '../../support/scripted-registry.ts';
import { skipSuite } from '../../support/skip-suite.ts';

/* Login of a server on a machine that reaches other hosts only through the operator's proxies. */

const LOGIN = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;

describe('a registry server with proxy variables', function () {
  this.timeout(180_000);
  const listening: Server[] = [];
  /** Requests to the proxy. */
  const asked: string[] = [];
  let folder: string;
  let registry: RegistryUnderTest | undefined;
  let direct: string;
  let proxy: string;

  const listen = async (server: Server): Promise<number> => {
    listening.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // SAFETY: the address of a TCP server is an object.
    return (server.address() as AddressInfo).port;
  };

  before(async function () {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-proxies-'));
    const { cert, key } = await makeCertificate(folder, ['safe.acme.example']).catch(() =>
      skipSuite(this, 'there is no openssl'),
    );
    const documents = [serverDocument('com.example/here')];
    const safe = await listen(
      createTlsServer({ cert, key }, (request, response) =>
        apiWith(documents)(new URL(request.url ?? '/', 'https://safe'), response, request),
      ),
    );
    direct = `http://127.0.0.1:${await listen(
      createServer((request, response) =>
        apiWith(documents)(new URL(request.url ?? '/', 'http://direct'), response, request),
      ),
    )}`;
    const forwarding = createServer((request, response) => {
      const url = new URL(request.url ?? '/');
      asked.push(`GET ${url.origin}`);
      if (request.headers['proxy-authorization'] !== LOGIN) response.writeHead(407).end();
      else if (url.pathname === '/catalogue.json')
        response.end(JSON.stringify({ data: { servers: documents } }));
      else apiWith(documents)(url, response, request);
    });
    forwarding.on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url}`);
      if (request.headers['proxy-authorization'] !== LOGIN) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const onward = connect(safe, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
    });
    proxy = `http://me:p%40ss@127.0.0.1:${await listen(forwarding)}`;
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterEach(() => registry?.close());
  after(async () => {
    for (const server of listening) {
      server.closeAllConnections();
      server.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (env: Readonly<Record<string, string>>, sources: readonly Json[]): Promise<void> => {
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: {
        sources: sources.map((source) => ({ ...source, syncPolicy: { interval: '1h' } })),
        registries: sources.map(({ name }) => ({ name, sources: [name] })),
      },
      env: { ...NO_PROXIES, ...env, NODE_EXTRA_CA_CERTS: path.join(folder, 'certificate.pem') },
    });
  };
  const statusOf = async (name: string): Promise<Json> => {
    const answer = await registry?.send('GET', `/v1/sources/${name}`);
    const status = answer?.json<{ syncStatus: Json }>().syncStatus ?? {};
    if (status['lastSyncTime'] === undefined) throw new Error(`${name} was not tried yet`);
    return status;
  };
  const requireRead = async (name: string): Promise<void> => {
    await eventually(async () =>
      expect(await statusOf(name)).to.include({ phase: 'complete', serverCount: 1 }),
    );
  };

  const api = (endpoint: string): Json => ({ api: { endpoint, types: ['server'], retries: 0 } });

  it('fetches http over HTTP_PROXY, https over a tunnel of HTTPS_PROXY, and loopback addresses directly', async () => {
    await start({ HTTP_PROXY: proxy, https_proxy: proxy }, [
      { name: 'plain', ...api('http://plain.acme.example') },
      { name: 'safe', ...api('https://safe.acme.example') },
      { name: 'near', ...api(direct) },
      { name: 'file', file: { url: 'http://files.acme.example/catalogue.json' } },
    ]);
    for (const name of ['plain', 'safe', 'near', 'file']) await requireRead(name);
    expect([...new Set(asked)]).to.have.members([
      'GET http://plain.acme.example',
      'CONNECT safe.acme.example:443',
      'GET http://files.acme.example',
    ]);
  });

  it('fetches hosts of NO_PROXY directly', async () => {
    // Address of this machine that, unlike loopback addresses, does not bypass proxies.
    const own = direct.replace('127.0.0.1', '0.0.0.0');
    await start({ HTTP_PROXY: proxy, NO_PROXY: '0.0.0.0/32, .acme.example:81' }, [
      { name: 'plain', ...api('http://plain.acme.example') },
      { name: 'own', ...api(own) },
    ]);
    for (const name of ['plain', 'own']) await requireRead(name);
    expect([...new Set(asked)]).to.deep.equal(['GET http://plain.acme.example']);
    await registry?.close();
    asked.length = 0;
    await start({ HTTP_PROXY: proxy }, [{ name: 'own', ...api(own) }]);
    await requireRead('own');
    expect([...new Set(asked)]).to.deep.equal([`GET ${own}`]);
  });

  it('reports a proxy that refuses, without its password', async () => {
    const refusing = proxy.replace('p%40ss', 'secret-word');
    await start({ HTTPS_PROXY: refusing, HTTP_PROXY: refusing }, [
      { name: 'plain', ...api('http://plain.acme.example') },
      { name: 'safe', ...api('https://safe.acme.example') },
    ]);
    for (const name of ['plain', 'safe']) {
      await eventually(async () => expect(await statusOf(name)).to.include({ phase: 'failed' }));
      expect(JSON.stringify(await statusOf(name))).to.not.include('secret-word');
    }
    const { stderr } = (await registry?.process.stop()) ?? { stderr: '' };
    expect(stderr).to.include('sync failed').and.not.include('secret-word');
  });

  it('does not start with a variable that names no HTTP proxy', async () => {
    let refusal = '';
    try {
      await start({ HTTPS_PROXY: 'socks5://proxy.acme.example' }, [{ name: 'near', ...api(direct) }]);
    } catch (error) {
      refusal = String(error);
    }
    expect(refusal).to.include('The variable HTTPS_PROXY contains no HTTP proxy address');
  });
});

/** Removes the proxy variables of this machine. */
const NO_PROXIES = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [
    [name, ''],
    [name.toUpperCase(), ''],
  ]),
);
