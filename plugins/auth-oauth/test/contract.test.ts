import {
  authProviderContract,
  createTestContext,
  FakeClock,
  type LoginsUnderTest,
  openTestWorkloadKernel,
  startTestIssuer,
  type TestIssuer,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import Koa from 'koa';
import { LoginProvider } from '../../../test/support/login-provider.ts';
import plugin, { oauthAuth } from '../src/index.ts';
import { configOf, NOW, NOW_S, providerOf } from './support/oauth-under-test.ts';

const clock = new FakeClock(NOW);
// At load, since the table of credentials is made before any hook runs.
const issuer: TestIssuer = await startTestIssuer({ clock: clock.clock });
const stranger: TestIssuer = await startTestIssuer({ clock: clock.clock });

describe('auth provider kind oauth', () => {
  after(async () => {
    await issuer.close();
    await stranger.close();
  });

  const claims = {
    iss: issuer.issuerUrl,
    aud: 'portolan',
    sub: 'ada',
    iat: NOW_S,
    exp: NOW_S + 60,
    name: 'Ada',
  };
  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const config = configOf(providerOf(issuer));

  const credentials = {
    accepted: [
      {
        title: 'a good token',
        headers: bearer(issuer.sign(claims)),
        identity: { subject: 'ada', claims, user: 'Ada', provider: 'main' },
      },
    ],
    refused: [
      { title: 'an expired token', headers: bearer(issuer.sign({ exp: NOW_S - 61 })) },
      { title: 'a token for another audience', headers: bearer(issuer.sign({ aud: 'shop' })) },
      { title: 'a token of a stranger', headers: bearer(stranger.sign()) },
      { title: 'a token signed by a stranger', headers: bearer(issuer.sign({}, { stranger: true })) },
    ],
  };

  const openLogins = async (): Promise<LoginsUnderTest> => {
    const providers = await Promise.all([LoginProvider.open(), LoginProvider.open()]);
    const [one, other] = providers;
    const listed = ({ issuerUrl }: LoginProvider, name: string, token: 'access_token' | 'id_token') => ({
      name,
      issuerUrl,
      audience: token === 'id_token' ? 'pages' : 'portolan',
      allowPrivateIP: true,
      login: { clientId: 'pages', scopes: ['openid'], parameters: {}, token },
    });
    const given = configOf(listed(one, 'one', 'access_token'), listed(other, 'other', 'id_token'));
    return {
      provider: await oauthAuth.create(given, createTestContext()),
      agree: (name, url) => (name === 'one' ? one : other).agree(url),
      close: async () => void (await Promise.all(providers.map((provider) => provider.close()))),
    };
  };

  authProviderContract({
    name: 'oauth',
    kind: oauthAuth,
    blocks: [config, { ...config, resourceUrl: 'https://registry.acme.example' }],
    create: (context) => oauthAuth.create(config, { ...context, clock: clock.clock, nowMs: clock.nowMs }),
    app: () => new Koa(),
    ...credentials,
    openLogins,
  });

  authProviderContract({
    name: 'oauth, made for a workload of the fields of its run config',
    kind: oauthAuth,
    create: async ({ logger }) => {
      const kernel = await openTestWorkloadKernel({
        plugins: [plugin],
        clock: clock.clock,
        nowMs: clock.nowMs,
        logger,
      });
      const given = { value: config, place: 'oidc_config', origin: 'run-config.json' };
      const { instance } = await kernel.createAuthProvider('oauth', given);
      return {
        verify: instance.verify,
        identify: (ctx) => instance.identify(ctx),
        close: () => kernel.close(),
      };
    },
    app: () => new Koa(),
    ...credentials,
  });

  it('has the kind oauth, and identifies callers of both hosts', () => {
    expect(
      plugin.contributes.authProviders.map(({ kind, hosts, identifies }) => ({ kind, hosts, identifies })),
    ).to.deep.equal([{ kind: 'oauth', hosts: ['registry-server', 'workload'], identifies: true }]);
  });

  it('publishes its issuers and its address to clients', async () => {
    const providers = [providerOf(issuer), providerOf(stranger, { name: 'other' })];
    const auth = await oauthAuth.create(
      { ...configOf(...providers), resourceUrl: 'https://registry.acme.example' },
      createTestContext(),
    );
    expect(auth.protectedResource).to.deep.equal({
      resource: 'https://registry.acme.example',
      authorizationServers: [issuer.issuerUrl, stranger.issuerUrl],
    });
    await auth.close?.();
  });

  it('publishes the public clients of command lines', async () => {
    const login = {
      publicClientId: 'cli',
      scopes: ['openid'],
      parameters: { audience: 'portolan' },
      token: 'id_token',
    } as const;
    const auth = await oauthAuth.create(
      configOf(providerOf(issuer, { login }), providerOf(stranger, { name: 'other' })),
      createTestContext(),
    );
    const { publicClientId: clientId, ...more } = login;
    expect(auth.protectedResource?.publicClients).to.deep.equal([
      { issuer: issuer.issuerUrl, clientId, ...more },
    ]);
    await auth.close?.();
  });

  it('sends no request to a provider before the first token', async () => {
    const other = await startTestIssuer();
    const auth = await oauthAuth.create(configOf(providerOf(other)), createTestContext());
    await auth.close?.();
    expect(other.requests).to.deep.equal([]);
    await other.close();
  });
});
