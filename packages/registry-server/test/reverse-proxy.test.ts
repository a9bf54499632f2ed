import { authOnlyPolicy } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import { expect } from 'chai';
import { eventually } from '@portolan/plugin-testing';
import { json } from './support/responses.ts';
import { accessLine } from './support/eventual-log.ts';
import { startServer, type TestServer } from './support/start-server.ts';

interface Linked {
  readonly registries: readonly { readonly url: string }[];
  readonly links: Readonly<Record<string, string>>;
}
interface Description {
  readonly servers: readonly { readonly url: string }[];
}

const FORWARDED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'acme.example',
  'x-forwarded-prefix': '/mcp-registry',
};

describe('a server behind a reverse proxy', () => {
  let server: TestServer | undefined;
  afterEach(() => server?.close());
  const start = async (config: Parameters<typeof startServer>[0]): Promise<TestServer> => {
    server = await startServer(config);
    return server;
  };

  it('writes all addresses below publicUrl', async () => {
    const behind = await start({ config: { publicUrl: 'https://acme.example/mcp-registry/' } });
    const index = await json<Linked>(behind.get('/', { headers: { accept: 'application/json' } }));
    expect(index.registries[0]?.url).to.equal('https://acme.example/mcp-registry/registry/main');
    expect(index.links['openapi.json']).to.equal('https://acme.example/mcp-registry/openapi.json');
    expect((await json<Description>(behind.get('/openapi.json'))).servers).to.deep.equal([
      { url: 'https://acme.example/mcp-registry' },
    ]);
    expect((await json<Description>(behind.get('/registry/main/openapi.json'))).servers).to.deep.equal([
      { url: 'https://acme.example/mcp-registry/registry/main' },
    ]);
  });

  it('names the metadata below publicUrl in a challenge', async () => {
    const provider: Kernel['authProvider'] = {
      kind: {
        kind: 'test',
        config: { type: 'object' },
        hosts: ['registry-server'],
        identifies: true,
        create: () => provider.instance,
      },
      instance: {
        protectedResource: { authorizationServers: ['https://login.acme.example'] },
        verify: (ctx) => ctx.throw(401, 'no', { headers: { 'WWW-Authenticate': 'Bearer realm="r"' } }),
        identify: () => undefined,
      },
    };
    const behind = await start({
      access: { provider, policy: authOnlyPolicy },
      config: { publicUrl: 'https://acme.example/mcp-registry' },
    });
    const metadata = 'https://acme.example/mcp-registry/.well-known/oauth-protected-resource';
    expect((await behind.get('/v1/me')).headers.get('www-authenticate')).to.equal(
      `Bearer realm="r", resource_metadata="${metadata}"`,
    );
    const { resource } = await json<{ resource: string }>(
      behind.get('/.well-known/oauth-protected-resource'),
    );
    expect(resource).to.equal('https://acme.example/mcp-registry');
    expect((await behind.get('/.well-known/oauth-protected-resource/mcp-registry')).status).to.equal(200);
    expect((await behind.get('/.well-known/oauth-protected-resource/other')).status).to.equal(404);
  });

  it('accepts the public address only from a trusted proxy', async () => {
    const trusting = await start({ config: { trustedProxies: ['127.0.0.0/8'] } });
    const { registries } = await json<Linked>(trusting.get('/registry', { headers: FORWARDED }));
    expect(registries[0]?.url).to.equal('https://acme.example/mcp-registry/registry/main');
    expect(
      (await json<Description>(trusting.get('/openapi.json', { headers: FORWARDED }))).servers,
    ).to.deep.equal([{ url: '/mcp-registry' }]);
    expect((await json<Description>(trusting.get('/openapi.json'))).servers).to.deep.equal([{ url: '/' }]);
    await trusting.close();
    const wary = await start({ config: { trustedProxies: ['10.0.0.0/8'] } });
    const direct = await json<Linked>(wary.get('/registry', { headers: FORWARDED }));
    expect(direct.registries[0]?.url).to.equal(`${wary.publicUrl}/registry/main`);
  });

  it('logs and records the client address of a trusted proxy', async () => {
    const behind = await start({ config: { trustedProxies: ['127.0.0.1'] } });
    await behind.get('/registry', { headers: { ...FORWARDED, 'x-request-id': 'forwarded' } });
    expect((await accessLine(behind.lines, 'forwarded')).fields['remote_addr']).to.equal('203.0.113.9');
    const record = await eventually(() => {
      const found = behind.records.find(({ requestId }) => requestId === 'forwarded');
      if (found === undefined) throw new Error('nothing is recorded yet');
      return found;
    });
    expect(record).to.include({ remoteAddress: '203.0.113.9', forwardedFor: '203.0.113.9' });
    await behind.get('/registry', { headers: { 'x-request-id': 'direct' } });
    expect((await accessLine(behind.lines, 'direct')).fields['remote_addr']).to.equal('127.0.0.1');
  });
});
