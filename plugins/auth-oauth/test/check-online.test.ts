import { createServer, type Server } from 'node:http';
import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { listenOnLoopback } from '../../../test/support/listen-on-loopback.ts';
import { oauthAuth, type ListedProvider } from '../src/index.ts';
import { configOf } from './support/oauth-under-test.ts';

const TEMPLATE = 'https://login.microsoftonline.com/{tenantid}/v2.0';

describe('checkOnline of auth.oauth (codex 38973)', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  /** Returns the address of an issuer whose metadata is the document; the issuer itself where it names none. */
  async function serve(document: Readonly<Record<string, unknown>> | string): Promise<string> {
    const server = createServer((_request, response) => {
      response.end(typeof document === 'string' ? document : JSON.stringify({ issuer, ...document }));
    });
    servers.push(server);
    const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}/tenants/any`;
    return issuer;
  }

  async function check(
    ...providers: readonly Pick<ListedProvider, 'issuerUrl' | 'jwksUrl'>[]
  ): Promise<readonly string[]> {
    const config = configOf(
      ...providers.map((one, at) => ({ name: `p${at}`, audience: 'web', allowPrivateIP: true, ...one })),
    );
    const context = { openFetch, directory: import.meta.dirname, trustsLoopback: true };
    const problems = await oauthAuth.checkOnline?.(config, context, AbortSignal.timeout(60_000));
    return (problems ?? []).map(({ place, found, expected }) => `${place}: ${found}; ${expected}`);
  }

  it('reports each issuer whose metadata names {tenantid}, at any host and path', async () => {
    const issuers = [await serve({}), await serve({ issuer: TEMPLATE }), await serve({ issuer: TEMPLATE })];
    const found = await check(...issuers.map((issuerUrl) => ({ issuerUrl })));
    expect(found.map((text) => text.split(':')[0])).to.deep.equal([
      'providers[1].issuerUrl',
      'providers[2].issuerUrl',
    ]);
    expect(found[0]).to.include('{tenantid}').and.include('name the tenant');
  });

  it('reports nothing when the issuer is down or serves no metadata', async () => {
    const down = createServer();
    const port = await listenOnLoopback(down);
    await new Promise((resolve) => down.close(resolve));
    const found = await check(
      { issuerUrl: `http://127.0.0.1:${port}` },
      { issuerUrl: await serve('<html>') },
      { issuerUrl: await serve({ issuer: 'https://id.acme.example' }) },
    );
    expect(found).to.deep.equal([]);
  });

  it('requests no metadata when the address of the keys is configured', async () => {
    const issuerUrl = await serve({ issuer: TEMPLATE });
    expect(await check({ issuerUrl, jwksUrl: `${issuerUrl}/keys` })).to.deep.equal([]);
  });
});
