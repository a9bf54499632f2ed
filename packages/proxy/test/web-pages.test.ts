import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import { type Answer, send } from './support/http-client.ts';
import { initialize } from './support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from './support/proxy-under-test.ts';
import { ScriptedServers } from './support/scripted-server.ts';
import { tokenProvider } from './support/token-provider.ts';

const APP = 'https://app.acme.example';

describe('openProxy with requests of web pages', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const messages = (): ServerBackend => new ScriptedServers().backend();

  function post(url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...initialize() }),
    });
  }

  describe('on loopback, for every path', () => {
    const provider = tokenProvider({}, { authorizationServers: ['https://id.acme.example'] });
    const metrics: TestProxyOptions = {
      authProvider: { ...provider, verify: (_ctx: unknown, next: () => Promise<unknown>) => next() },
      callersProve: false,
      middleware: [
        {
          name: 'metrics',
          placed: 'observe',
          instance: {
            servedPaths: [
              {
                path: '/metrics',
                methods: ['GET', 'HEAD', 'OPTIONS'],
                respond: () => ({ status: 200, headers: {}, body: 'calls 7' }),
              },
            ],
          },
        },
      ],
    };
    const paths = [
      '/mcp',
      '/health',
      '/metrics',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/openid-configuration',
    ];
    const foreign: readonly Readonly<Record<string, string | string[]>>[] = [
      { Host: 'evil.example' },
      { Host: 'evil.example:80', Origin: 'http://evil.example' },
      { Host: 'localhost.evil.example' },
      { Host: 'user@localhost' },
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost:1' },
      { Origin: 'http://user@localhost' },
    ];
    for (const path of paths) {
      it(`refuses foreign hosts and origins: ${path}`, async () => {
        const { origin } = await proxies.open(messages(), metrics);
        for (const headers of foreign) {
          for (const method of ['GET', 'HEAD', 'OPTIONS']) {
            const { status, text } = await send(origin + path, { method, headers });
            expect(status, `${method} ${JSON.stringify(headers)}`).to.equal(403);
            expect(text).to.not.match(/calls|healthy|evil/);
          }
        }
        const { port } = new URL(origin);
        for (const Host of [
          `127.0.0.1:${port}`,
          `localhost:${port}`,
          `[::1]:${port}`,
          'host.docker.internal',
        ])
          expect((await send(origin + path, { headers: { Host } })).status, Host).to.not.equal(403);
        const own = { Origin: `http://localhost:${port}` };
        expect((await send(origin + path, { headers: own })).status).to.not.equal(403);
      });
    }
  });

  describe('on every interface (DNS rebinding, B14)', () => {
    const outer = { resourceUrl: new URL('https://out.acme.example/mcp') };
    const cases: readonly {
      readonly title: string;
      readonly host: string;
      readonly origin?: string;
      readonly status: number;
      readonly options?: TestProxyOptions;
    }[] = [
      {
        title: 'a page of a forged host name',
        host: 'evil.example',
        origin: 'http://evil.example',
        status: 403,
      },
      {
        title: 'a page of a forged host name with a port',
        host: 'evil.example:PORT',
        origin: 'http://evil.example:PORT',
        status: 403,
      },
      { title: 'a client without an origin, under any host name', host: 'box.acme.example', status: 200 },
      {
        title: 'a page at the address of the proxy',
        host: '192.0.2.7:PORT',
        origin: 'http://192.0.2.7:PORT',
        status: 200,
      },
      {
        title: 'a page at the IPv6 address of the proxy',
        host: '[2001:db8::7]:PORT',
        origin: 'http://[2001:db8::7]:PORT',
        status: 200,
      },
      {
        title: 'a page on this machine',
        host: 'localhost:PORT',
        origin: 'http://localhost:PORT',
        status: 200,
      },
      {
        title: 'a page at another address',
        host: '192.0.2.7:PORT',
        origin: 'http://192.0.2.8:PORT',
        status: 403,
      },
      {
        title: 'a page of the public host name',
        host: 'out.acme.example',
        origin: 'https://out.acme.example',
        status: 200,
        options: outer,
      },
      {
        title: 'a page of the public host name over plain HTTP',
        host: 'out.acme.example',
        origin: 'http://out.acme.example',
        status: 200,
        options: outer,
      },
      {
        title: 'a page at the port that a trusted proxy reports',
        host: '192.0.2.7',
        origin: 'https://192.0.2.7:8443',
        status: 200,
        options: { trustProxyHeaders: true },
      },
      {
        title: 'a page at the port that an untrusted proxy reports',
        host: '192.0.2.7',
        origin: 'https://192.0.2.7:8443',
        status: 403,
      },
      { title: 'a page of an allowed origin', host: 'box.acme.example', origin: APP, status: 200 },
    ];
    for (const { title, host, origin, status, options } of cases) {
      it(`responds with ${status} to ${title}`, async () => {
        const { proxy, url } = await proxies.open(messages(), {
          host: '0.0.0.0',
          allowedOrigins: [APP],
          ...options,
        });
        const here = (text: string): string => text.replace('PORT', String(proxy.port));
        const answer = await post(url, {
          Host: here(host),
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Port': '8443',
          ...(origin === undefined ? {} : { Origin: here(origin) }),
        });
        expect(answer.status).to.equal(status);
      });
    }
  });

  it('refuses a request target whose host differs from the Host header', async () => {
    const { url } = await proxies.open(messages());
    const target = `http://evil.example${url.pathname}`;
    const answer = await send(url, { method: 'GET', target });
    expect(answer.status).to.equal(403);
    expect((await send(url, { method: 'GET', target: url.href })).status).to.equal(400);
  });

  describe('from allowed origins (CORS)', () => {
    it('lets a page send a request, and read the response and its session id', async () => {
      const { url } = await proxies.open(messages(), { allowedOrigins: [APP] });
      const asked = await send(url, {
        method: 'OPTIONS',
        headers: {
          Origin: APP,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
        },
      });
      expect([asked.status, asked.text]).to.deep.equal([204, '']);
      expect(asked.headers).to.include({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'POST, GET, DELETE',
        'access-control-allow-headers': 'content-type,mcp-protocol-version',
        vary: 'Origin',
      });
      const { status, headers } = await post(url, { Origin: APP });
      expect([status, headers['access-control-allow-origin'], headers.vary]).to.deep.equal([
        200,
        APP,
        'Origin',
      ]);
      expect(headers['access-control-expose-headers']).to.include('Mcp-Session-Id');
      expect(headers).to.not.have.property('access-control-allow-credentials');
    });

    it('lets a page read why it was refused', async () => {
      const { url } = await proxies.open(messages(), { allowedOrigins: [APP] });
      const { status, headers } = await send(url, { method: 'GET', headers: { Origin: APP } });
      expect([status, headers['access-control-allow-origin']]).to.deep.equal([400, APP]);
    });

    it('sends no CORS headers to other origins, and to clients without an origin', async () => {
      const { url } = await proxies.open(messages(), { allowedOrigins: [APP] });
      const other = await send(url, {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(other.status).to.equal(403);
      const program = await post(url, {});
      const local = await send(url, {
        method: 'OPTIONS',
        headers: { Origin: url.origin, 'Access-Control-Request-Method': 'POST' },
      });
      expect([program.status, local.status]).to.deep.equal([200, 405]);
      for (const { headers } of [other, program, local]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
      }
    });

    it('replaces the CORS headers of the server', async () => {
      const backend = await HttpBackendUnderTest.start((_request, response) => {
        response.writeHead(200, {
          'Content-Type': 'application/json',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Credentials': 'true',
          Vary: 'Accept',
        });
        response.end('{}');
      });
      backends.push(backend);
      const behind = {
        carries: 'http',
        transport: 'streamable-http',
        target: backend.url,
        isRemote: false,
      } as const;
      const { url } = await proxies.open(behind, { allowedOrigins: [APP] });
      const asked = await send(url, {
        method: 'OPTIONS',
        headers: { Origin: APP, 'Access-Control-Request-Method': 'POST' },
      });
      expect([asked.status, backend.received.length]).to.deep.equal([204, 0]);
      const { headers } = await post(url, { Origin: APP });
      expect(headers).to.include({ 'access-control-allow-origin': APP, vary: 'Accept, Origin' });
      expect(headers).to.not.have.property('access-control-allow-credentials');
      const program = await post(url, {});
      expect(program.headers).to.include({ 'access-control-allow-origin': '*', vary: 'Accept' });
    });
  });
});
