import { createFullPolicy } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { json, refusalOf } from './support/responses.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer } from './support/start-server.ts';

/** Takes `Bearer NAME` for a caller with the claim `org` of that name. */
const provider: Kernel['authProvider'] = {
  kind: {
    kind: 'test',
    config: { type: 'object' },
    hosts: ['registry-server'],
    identifies: true,
    create: () => provider.instance,
  },
  instance: {
    verify: async (ctx, next) => {
      if (!/^Bearer \w+$/.test(ctx.get('authorization'))) ctx.throw(401, 'token validation failed');
      await next();
    },
    identify: (ctx) => {
      const org = ctx.get('authorization').slice('Bearer '.length);
      return { subject: org, claims: { org } };
    },
    protectedResource: {
      resource: 'https://registry.acme.example/mcp',
      authorizationServers: ['https://sso.acme.example'],
    },
  },
};

const PUBLIC = '/registry/public/v0.1/servers';
const GATED = '/registry/gated/v0.1/servers';

describe('authenticate with a public registry', () => {
  let server: TestServer;
  let reader: MemoryReader;
  before(async () => {
    reader = new MemoryReader({
      public: {
        rows: [row({ name: 'com.acme/a' })],
        claims: { org: 'acme' },
        publicClaims: { tier: 'open' },
      },
      gated: { rows: [], claims: { org: 'acme' } },
    });
    server = await startServer({ reader, access: { provider, policy: createFullPolicy({}) } });
  });
  after(() => server.close());

  const readable = [
    PUBLIC,
    '/registry/public/v0/servers',
    '/registry/public/openapi.json',
    '/registry',
    '/registry/',
    '/',
  ];
  for (const path of readable) {
    it(`responds to ${path} without a token`, async () => {
      expect((await server.get(path)).status).to.equal(200);
      expect((await server.get(path, { method: 'HEAD' })).status).to.equal(200);
    });
  }

  it('forbids caches to store responses for one caller or to share lists between callers', async () => {
    const headers = { authorization: 'Bearer acme' };
    expect((await server.get('/v1/me', { headers })).headers.get('cache-control')).to.equal('no-store');
    const list = await server.get('/registry', { headers });
    expect([list.headers.get('cache-control'), list.headers.get('vary')]).to.deep.equal([
      'no-cache',
      'Authorization',
    ]);
  });

  const closed = [GATED, '/registry/none/v0.1/servers', '/v1/me', '/v1/registries', '/nowhere'];
  for (const path of closed) {
    it(`requires a token at ${path}`, async () => {
      expect(await refusalOf(server.get(path))).to.equal('401 ERR_AUTHENTICATION_REQUIRED');
    });
  }

  const disguises = [
    '/registry/public%2F..%2Fgated/v0.1/servers',
    '/registry/%70ublic%00/v0.1/servers',
    '//registry/public/v0.1/servers',
    '/registry/public/../gated/v0.1/servers',
    '/registry/Public/v0.1/servers',
  ];
  for (const path of disguises) {
    it(`requires a token at the misleading path ${path}`, async () => {
      expect((await server.get(path)).status).to.equal(401);
    });
  }

  const nowhere = [
    '/registry/public/v0.1/nothing',
    '/registry/public/v0.1/servers/com.acme%2Fnotes',
    '/registry/%70ublic/v1/servers',
    '/registry/public/',
    '/registry/public',
  ];
  for (const path of nowhere) {
    it(`responds 404 at ${path}, where a token would not help`, async () => {
      expect(await refusalOf(server.get(path))).to.equal('404 ERR_ROUTE_NOT_FOUND');
      expect((await server.get(path, { method: 'HEAD' })).status, 'HEAD').to.equal(404);
      expect((await server.get(path, { method: 'POST' })).status, 'POST').to.equal(401);
      const gated = path.replace(/public|%70ublic/, 'gated');
      expect(await refusalOf(server.get(gated)), gated).to.equal('401 ERR_AUTHENTICATION_REQUIRED');
    });
  }

  it('queries the catalog once per request, and finds the registry in it', async () => {
    const catalog = reader.catalog.bind(reader);
    let asked = 0;
    reader.catalog = () => {
      asked += 1;
      return catalog();
    };
    try {
      expect((await server.get(PUBLIC)).status).to.equal(200);
      expect(asked, 'without a token').to.equal(1);
      expect((await server.get(PUBLIC, { headers: { authorization: 'Bearer acme' } })).status).to.equal(200);
      expect(asked, 'with a token').to.equal(2);
      expect((await server.get('/v1/me')).status).to.equal(401);
      expect(asked, 'where nothing is public').to.equal(2);
    } finally {
      reader.catalog = catalog;
    }
  });

  it('passes the endpoint of a request without a token to audit', async () => {
    const before = server.records.length;
    await server.get(GATED);
    await eventually(() => expect(server.records.length).to.be.above(before));
    expect(server.records.at(-1)).to.deep.include({
      status: 401,
      route: '/registry/{registryName}/v0.1/servers',
      target: { resourceType: 'server', registryName: 'gated' },
    });
  });

  it('validates a token that is sent anyway', async () => {
    const answer = await server.get(PUBLIC, { headers: { authorization: 'Bearer not good' } });
    expect(await refusalOf(answer)).to.equal('401 ERR_AUTHENTICATION_REQUIRED');
  });

  it('requires a token for writes', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await server.get(PUBLIC, { method })).status, method).to.equal(401);
  });

  it('lists public registries without a token, and accessible ones with a token', async () => {
    const names = async (headers?: Record<string, string>) =>
      (
        await json<{ registries: readonly { name: string }[] }>(
          server.get('/registry', { ...(headers && { headers }) }),
        )
      ).registries.map(({ name }) => name);
    expect(await names()).to.deep.equal(['public']);
    expect(await names({ authorization: 'Bearer acme' })).to.deep.equal(['public', 'gated']);
    expect(await names({ authorization: 'Bearer other' })).to.deep.equal(['public']);
  });

  it('limits a reader without a token to claims that the public claims satisfy', async () => {
    const scopes: unknown[] = [];
    const list = reader.list.bind(reader);
    reader.list = (scope, query) => {
      scopes.push(scope.visible);
      return list(scope, query);
    };
    await server.get(`${PUBLIC}?limit=7`);
    // The only class of this reader is the one without claims.
    expect(scopes).to.deep.equal([[]]);
  });
});

describe('authenticate without a public registry', () => {
  let server: TestServer;
  before(async () => {
    const reader = new MemoryReader({ main: { rows: [] } });
    const policy = createFullPolicy({});
    server = await startServer({ reader, access: { provider, policy, publicPaths: ['/'] } });
  });
  after(() => server.close());

  it('requires a token also for the list of registries', async () => {
    expect((await server.get('/registry')).status).to.equal(401);
  });

  it('lists no registries without a token at the configured public path', async () => {
    expect((await json<{ registries: unknown[] }>(server.get('/'))).registries).to.deep.equal([]);
  });

  it('accepts a slash at the end of public paths, and ignores a token', async () => {
    for (const path of ['/health/', '/version', '/openapi.yaml/'])
      expect((await server.get(path, { headers: { authorization: 'nonsense' } })).status, path).to.equal(200);
  });
});

describe('showResourceMetadata', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ access: { provider, policy: createFullPolicy({}) } });
  });
  after(() => server.close());

  const address = '/.well-known/oauth-protected-resource';
  for (const path of [address, `${address}/mcp`]) {
    it(`describes the resource at ${path}`, async () => {
      expect(await json(server.get(path))).to.deep.equal({
        resource: 'https://registry.acme.example/mcp',
        authorization_servers: ['https://sso.acme.example'],
        bearer_methods_supported: ['header'],
      });
    });
  }

  it('names the public OAuth client for command lines under a key of Portolan', async () => {
    const client = {
      issuer: 'https://sso.acme.example',
      clientId: 'cli',
      scopes: ['openid'],
      parameters: { audience: 'registry' },
      token: 'access_token',
    } as const;
    const protectedResource = { authorizationServers: [client.issuer], publicClients: [client] };
    const publishing = { ...provider, instance: { ...provider.instance, protectedResource } };
    const other = await startServer({ access: { provider: publishing, policy: createFullPolicy({}) } });
    const { clientId, ...more } = client;
    expect((await json<Record<string, unknown>>(other.get(address)))['portolan_login']).to.deep.equal([
      { ...more, client_id: clientId },
    ]);
    await other.close();
  });

  it('responds 404 for another resource', async () => {
    expect(await refusalOf(server.get(`${address}/other`))).to.equal('404 ERR_METADATA_NOT_FOUND');
  });

  it('responds 404 in anonymous mode', async () => {
    const anonymous = await startServer();
    expect(await refusalOf(anonymous.get(address))).to.equal('404 ERR_METADATA_NOT_FOUND');
    await anonymous.close();
  });
});
