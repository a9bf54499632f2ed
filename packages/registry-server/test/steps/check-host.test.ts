import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ServerAccess } from '../../src/request/server-access.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

type Start = NonNullable<Parameters<typeof startServer>[0]>;

const LIST = '/registry/main/v0.1/servers';
const EVERYWHERE: Start['config'] = { address: '0.0.0.0:0', internalAddress: '0.0.0.0:0' };

/** An access that asks for tokens, and accepts every one. */
const OAUTH: Partial<ServerAccess> = {
  provider: {
    kind: {
      kind: 'oauth',
      hosts: ['registry-server'],
      identifies: true,
      config: { type: 'object' },
      create: () => expect.fail('created'),
    },
    instance: { verify: async () => undefined, identify: () => ({ subject: 'ada', claims: {} }) },
  },
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status of a request with these headers, and the code of a refusal. */
async function send(
  base: string | undefined,
  { method = 'GET', path = LIST, host, origin, headers = {} }: Sent,
): Promise<string> {
  const url = new URL(path, base);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const own = { ...headers, host: host ?? url.host, ...(origin === undefined ? {} : { origin }) };
    request(url, { method, headers: own }, resolve).on('error', reject).end();
  });
  const body = await text(response);
  const { code } = body.startsWith('{"error"') ? (JSON.parse(body) as { code: string }) : { code: '' };
  return `${response.statusCode} ${code}`.trim();
}

const REFUSED = '403 ERR_HOST_NOT_ALLOWED';
const FOREIGN = '403 ERR_ORIGIN_NOT_ALLOWED';

describe('checkHost', () => {
  const servers: TestServer[] = [];
  const start = async (options: Start) => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  describe('on a loopback address', () => {
    let server: TestServer;
    before(async () => {
      server = await start({ config: { publicUrl: 'https://registry.acme.example/mcp' } });
    });
    const accepted = [
      '127.0.0.1',
      '127.0.0.1:8080',
      '[::1]:8080',
      '192.0.2.7',
      'localhost',
      'LocalHost:1',
      'registry.acme.example',
      'registry.acme.example:8443',
    ];
    for (const host of accepted)
      it(`accepts the Host ${host}`, async () => {
        expect(await send(server.publicUrl, { host })).to.equal('200');
        expect(await send(server.internalUrl, { path: '/health', host })).to.equal('200');
      });

    const refused = [
      'evil.example',
      'evil.example:8080',
      'localhost.evil.example',
      'localhost.',
      '127.0.0.1.evil.example',
      'registry.acme.example.evil.example',
      'registry.acme.example@evil.example',
      'evil.example/localhost',
    ];
    for (const host of refused)
      it(`rejects the Host "${host}" for every path`, async () => {
        for (const path of [LIST, '/registry', '/', '/health', '/v1/sources', '/openapi.json', '/nowhere'])
          expect(await send(server.publicUrl, { path, host })).to.equal(REFUSED);
        for (const path of ['/health', '/metrics'])
          expect(await send(server.internalUrl, { path, host })).to.equal(REFUSED);
      });

    it('rejects a foreign Host in oauth mode too', async () => {
      const oauth = await start({ access: OAUTH });
      expect(await send(oauth.publicUrl, { host: 'evil.example' })).to.equal(REFUSED);
    });

    it('rejects a pre-flight for a foreign Host', async () => {
      const sent = { method: 'OPTIONS', host: 'evil.example', origin: 'http://evil.example' };
      expect(await send(server.publicUrl, sent)).to.equal(REFUSED);
    });

    it('rejects a foreign host in the request target', async () => {
      const { port } = new URL(server.publicUrl);
      const target = { host: '127.0.0.1', port, path: 'http://evil.example/registry' };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request(target, resolve).on('error', reject).end();
      });
      expect(response.statusCode).to.equal(403);
      response.resume();
    });

    it('accepts every Host from a trusted proxy', async () => {
      const trusting = await start({ config: { trustedProxies: ['127.0.0.0/8'] } });
      expect(await send(trusting.publicUrl, { host: 'any.example' })).to.equal('200');
    });

    it('names the settings that permit a host', async () => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(server.publicUrl, { headers: { host: 'evil.example' } }, resolve)
          .on('error', reject)
          .end();
      });
      const body = await text(answer);
      for (const setting of ['server.publicUrl', 'server.trustedProxies']) expect(body).to.include(setting);
    });
  });

  describe('on other addresses', () => {
    it('accepts every Host for reads of the consumer API in anonymous mode', async () => {
      const server = await start({ config: EVERYWHERE });
      for (const path of [LIST, '/registry', '/openapi.json'])
        expect(await send(server.publicUrl, { path, host: 'portolan.default.svc' })).to.equal('200');
    });

    it('rejects a foreign Host for all other requests in anonymous mode', async () => {
      const server = await start({ config: EVERYWHERE });
      const host = 'evil.example';
      for (const path of ['/', '/health', '/v1/sources'])
        expect(await send(server.publicUrl, { path, host })).to.equal(REFUSED);
      expect(await send(server.publicUrl, { method: 'POST', path: LIST, host })).to.equal(REFUSED);
      expect(await send(server.internalUrl, { path: '/metrics', host })).to.equal(REFUSED);
    });

    it('accepts every Host in oauth mode', async () => {
      const server = await start({ config: EVERYWHERE, access: OAUTH });
      expect(await send(server.publicUrl, { path: '/health', host: 'registry.example' })).to.equal('200');
    });
  });
});

describe('checkOrigin', () => {
  const servers: TestServer[] = [];
  const start = async (options: Start) => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  const origin = 'http://evil.example';

  for (const [where, config] of [
    ['loopback', {}],
    ['every interface', EVERYWHERE],
  ] as const)
    for (const [mode, access] of [
      ['anonymous', {}],
      ['oauth', OAUTH],
    ] as const)
      it(`rejects writes from a page of another host on ${where} in ${mode} mode`, async () => {
        const server = await start({ config, access });
        for (const [method, path] of [
          ['POST', '/v1/sources/files/sync'],
          ['PUT', '/v1/sources/evil'],
          ['DELETE', '/v1/entries/server/a.b%2Fc/versions/1.0.0'],
          ['POST', '/v1/entries'],
          ['POST', LIST],
          ['GET', '/v1/sources'],
          ['GET', '/health'],
        ] as const)
          expect(await send(server.publicUrl, { method, path, origin }), `${method} ${path}`).to.equal(
            FOREIGN,
          );
      });

  it('accepts reads that CORS permits', async () => {
    const server = await start({});
    expect(await send(server.publicUrl, { origin })).to.equal('200');
    expect(await send(server.publicUrl, { method: 'OPTIONS', origin })).to.equal('204');
  });

  it('rejects reads from origins that CORS does not list', async () => {
    const listing = await start({
      config: { cors: { enabled: true, allowedOrigins: ['https://a.example'] } },
    });
    expect(await send(listing.publicUrl, { origin: 'https://a.example' })).to.equal('200');
    expect(await send(listing.publicUrl, { origin })).to.equal(FOREIGN);
    const off = await start({ config: { cors: { enabled: false, allowedOrigins: ['*'] } } });
    expect(await send(off.publicUrl, { origin })).to.equal(FOREIGN);
  });

  it('accepts its own origin, and that of server.publicUrl', async () => {
    const server = await start({ config: { publicUrl: 'https://registry.acme.example/mcp' } });
    const path = '/health';
    for (const own of [server.publicUrl, 'https://registry.acme.example'])
      expect(await send(server.publicUrl, { path, origin: own }), own).to.equal('200');
    for (const foreign of [
      'https://registry.acme.example:8443',
      'http://127.0.0.1:1',
      'file://x',
      'null',
      'x',
    ])
      expect(await send(server.publicUrl, { path, origin: foreign }), foreign).to.equal(FOREIGN);
  });

  it('accepts the host that a trusted proxy names', async () => {
    const server = await start({ config: { trustedProxies: ['127.0.0.1'] } });
    const headers = { 'x-forwarded-host': 'registry.acme.example', 'x-forwarded-proto': 'https' };
    const sent = { path: '/health', origin: 'https://registry.acme.example', headers };
    expect(await send(server.publicUrl, sent)).to.equal('200');
    expect(await send(server.publicUrl, { ...sent, origin })).to.equal(FOREIGN);
  });

  it('accepts forms of its own pages with `Origin: null`', async () => {
    const server = await start({});
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect(await send(server.publicUrl, { path: '/health', origin: 'null', headers })).to.equal('200');
  });
});
