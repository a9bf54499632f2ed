import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isPortolanError, type AuthProvider, type BrowserLogin } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import {
  LoginProvider,
  type LoginProviderOptions,
  USUAL_SHAPE,
} from '../../../test/support/login-provider.ts';
import { DOCUMENTED_PROVIDERS } from '../../../test/support/provider-shapes.ts';
import { oauthAuth, type ListedProvider } from '../src/index.ts';
import { configOf } from './support/oauth-under-test.ts';

const REDIRECT = 'https://registry.acme.example/mcp/login/callback';
const { signal } = new AbortController();

/** Code and class of what a promise is rejected with. */
async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (isPortolanError(error)) return `${error.code} ${error.class}`;
    throw error;
  }
  return 'nothing thrown';
}

describe('browser logins of auth.oauth', () => {
  let folder: string;
  const open: (() => Promise<unknown> | undefined)[] = [];
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-login-'));
  });
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });
  after(() => rm(folder, { recursive: true }));

  /** A provider, and the one way to log in there. */
  const start = async (
    options: LoginProviderOptions = {},
    login: Partial<NonNullable<ListedProvider['login']>> = {},
    more: Partial<ListedProvider> = {},
  ): Promise<{ provider: LoginProvider; auth: AuthProvider; login: BrowserLogin }> => {
    const provider = await LoginProvider.open(options);
    open.push(() => provider.close());
    const { clientSecret } = options;
    const clientSecretFile = path.join(folder, 'secret');
    if (clientSecret !== undefined) await writeFile(clientSecretFile, `${clientSecret}\n`);
    const config = configOf({
      name: 'main',
      issuerUrl: provider.issuerUrl,
      audience: login.token === 'id_token' ? 'pages' : 'portolan',
      allowPrivateIP: true,
      login: {
        clientId: 'pages',
        ...(clientSecret === undefined ? {} : { clientSecretFile }),
        scopes: ['openid'],
        parameters: {},
        token: 'access_token',
        ...login,
      },
      ...more,
    });
    expect(oauthAuth.check?.(config, { directory: folder, trustsLoopback: false })).to.deep.equal([]);
    expect(oauthAuth.logsIn?.(config)).to.equal(true);
    const auth = await oauthAuth.create(config, createTestContext());
    open.push(() => auth.close?.());
    const [only] = auth.logins?.() ?? [];
    if (only === undefined) throw new Error('there is no way to log in');
    return { provider, auth, login: only };
  };

  for (const documented of DOCUMENTED_PROVIDERS) {
    it(`gets and renews tokens that the registry accepts, as ${documented.name} documents its side`, async () => {
      const { shape, clientSecret } = documented;
      const { provider, auth, login } = await start(
        { shape, ...(clientSecret === undefined ? {} : { clientSecret }) },
        documented.login,
      );
      const begun = await login.begin(REDIRECT, signal);
      for (const [name, value] of Object.entries(documented.asks))
        expect(begun.url.searchParams.get(name), name).to.equal(value);
      const redirect = provider.agree(begun.url, { sub: 'ada', email: 'ada@acme.example' });
      const tokens = await login.finish(redirect, begun.pending, signal);
      expect(tokens.name).to.equal('ada@acme.example');
      expect(tokens.expiresAt?.getTime()).to.be.greaterThan(Date.now());
      const [asked] = provider.tokenRequests;
      expect(asked?.has('client_secret')).to.equal(documented.bySecretInBody);
      const renewed = await login.renew(tokens.renewal ?? '', signal);
      for (const { token } of [tokens, renewed])
        expect((await auth.explainToken?.(token))?.map(({ accepted }) => accepted)).to.deep.equal([true]);
      expect(renewed.token).to.not.equal(tokens.token);
      await login.end(renewed.renewal ?? '', signal);
      expect(documented.hasEnded(provider)).to.equal(true);
      const there = await login.leave?.(tokens.farewell, 'https://registry.acme.example/mcp/', signal);
      expect(there?.pathname).to.equal(shape.endSessionPath);
    });
  }

  it('uses another state, verifier and nonce for each login', async () => {
    const { login } = await start();
    const urls = await Promise.all([1, 2, 3].map(async () => (await login.begin(REDIRECT, signal)).url));
    for (const name of ['state', 'code_challenge', 'nonce'])
      expect(new Set(urls.map((url) => url.searchParams.get(name))).size, name).to.equal(3);
  });

  const edited = (url: URL, edit: (query: URLSearchParams) => void): URL => {
    const copy = new URL(url);
    edit(copy.searchParams);
    return copy;
  };
  const hostile: readonly {
    readonly title: string;
    readonly redirect: (url: URL) => URL;
  }[] = [
    { title: 'another state', redirect: (url) => edited(url, (query) => query.set('state', 'x')) },
    { title: 'no state', redirect: (url) => edited(url, (query) => query.delete('state')) },
    { title: 'two states', redirect: (url) => edited(url, (query) => query.append('state', 'x')) },
    {
      title: 'another issuer',
      redirect: (url) => edited(url, (query) => query.set('iss', 'https://evil.example')),
    },
    {
      title: 'no issuer, though one is announced',
      redirect: (url) => edited(url, (query) => query.delete('iss')),
    },
    { title: 'another code', redirect: (url) => edited(url, (query) => query.set('code', 'x')) },
    {
      title: 'an error',
      redirect: (url) =>
        edited(url, (query) => {
          query.delete('code');
          query.set('error', 'access_denied');
        }),
    },
    { title: 'nothing', redirect: () => new URL(REDIRECT) },
  ];
  for (const { title, redirect } of hostile) {
    it(`refuses a redirect with ${title}`, async () => {
      const { provider, login } = await start();
      const begun = await login.begin(REDIRECT, signal);
      const finished = login.finish(redirect(provider.agree(begun.url)), begun.pending, signal);
      expect(await refusalOf(finished)).to.equal('ERR_LOGIN_REFUSED refused');
    });
  }

  it('refuses the code of a login from another browser, and a replayed code', async () => {
    const { provider, login } = await start();
    const mine = await login.begin(REDIRECT, signal);
    const other = await login.begin(REDIRECT, signal);
    const redirect = provider.agree(other.url);
    redirect.searchParams.set('state', mine.url.searchParams.get('state') ?? '');
    expect(await refusalOf(login.finish(redirect, mine.pending, signal))).to.equal(
      'ERR_LOGIN_REFUSED refused',
    );
    const good = provider.agree(mine.url);
    await login.finish(good, mine.pending, signal);
    expect(await refusalOf(login.finish(good, mine.pending, signal))).to.equal('ERR_LOGIN_REFUSED refused');
  });

  it("returns the provider's logout address with the user's hint and the return address", async () => {
    const shape = { ...USUAL_SHAPE, endSessionPath: '/out?lang=en' };
    const { provider, login } = await start({ shape });
    const begun = await login.begin(REDIRECT, signal);
    const { farewell } = await login.finish(provider.agree(begun.url), begun.pending, signal);
    const back = 'https://registry.acme.example/mcp/';
    const there = await login.leave?.(farewell, back, signal);
    const { id_token_hint: hint = '', ...asked } = Object.fromEntries(there?.searchParams ?? []);
    expect(there?.pathname).to.equal('/out');
    expect(asked).to.deep.equal({ lang: 'en', client_id: 'pages', post_logout_redirect_uri: back });
    expect(provider.issued).to.include(hint);
    // Of another provider of the name, or of none: its token goes nowhere.
    const other = await start({ shape });
    for (const foreign of [farewell, undefined, 'x']) {
      const bare = await other.login.leave?.(foreign, back, signal);
      expect(bare?.searchParams.has('id_token_hint') ?? false, foreign).to.equal(false);
    }
  });

  it('puts no token that opens the registry into an address', async () => {
    const shape = { ...USUAL_SHAPE, endSessionPath: '/out' };
    const { provider, login } = await start({ shape }, { token: 'id_token' });
    const begun = await login.begin(REDIRECT, signal);
    const { token, farewell } = await login.finish(provider.agree(begun.url), begun.pending, signal);
    const there = await login.leave?.(farewell, 'https://registry.acme.example/', signal);
    expect(there?.searchParams.get('client_id')).to.equal('pages');
    expect(there?.href).to.not.include(token);
  });

  for (const endpoint of [
    undefined,
    7,
    'javascript:alert(1)',
    'http://evil.example/out',
    'out',
    'https://a@b.example/',
  ])
    it(`returns no logout address for ${endpoint}`, async () => {
      const shape = { ...USUAL_SHAPE, discovery: { end_session_endpoint: endpoint } };
      const { login } = await start({ shape });
      expect(await login.leave?.(undefined, 'https://registry.acme.example/', signal)).to.equal(undefined);
    });

  const troubles: readonly {
    readonly title: string;
    readonly make: (provider: LoginProvider, redirect: URL) => Promise<URL>;
    readonly told: string;
  }[] = [
    {
      title: 'nobody answers',
      make: async (provider, redirect) => {
        await provider.close();
        return redirect;
      },
      told: 'ERR_LOGIN_UNREACHABLE unavailable',
    },
    ...[500, 503, 429].map((status) => ({
      title: `it answers ${status}`,
      make: async (provider: LoginProvider, redirect: URL) => {
        provider.refusal = { status, body: {} };
        return redirect;
      },
      told: 'ERR_LOGIN_UNREACHABLE unavailable',
    })),
    {
      title: 'it says that it cannot now',
      make: async (provider, redirect) => {
        provider.refusal = { status: 400, body: { error: 'temporarily_unavailable' } };
        return redirect;
      },
      told: 'ERR_LOGIN_UNREACHABLE unavailable',
    },
    {
      title: 'it says so in the redirect',
      make: async (_provider, redirect) =>
        edited(redirect, (query) => {
          query.delete('code');
          query.set('error', 'server_error');
        }),
      told: 'ERR_LOGIN_UNREACHABLE unavailable',
    },
    {
      title: 'it says no',
      make: async (provider, redirect) => {
        provider.refusal = { status: 400, body: { error: 'invalid_grant' } };
        return redirect;
      },
      told: 'ERR_LOGIN_REFUSED refused',
    },
    {
      title: 'it answers no JSON',
      make: async (provider, redirect) => {
        provider.spoil = () => ({ access_token: 7 });
        return redirect;
      },
      told: 'ERR_LOGIN_REFUSED refused',
    },
  ];
  for (const { title, make, told } of troubles) {
    it(`distinguishes an unavailable provider from a refusal, where ${title}`, async () => {
      const { provider, login } = await start();
      const begun = await login.begin(REDIRECT, signal);
      const redirect = await make(provider, provider.agree(begun.url));
      expect(await refusalOf(login.finish(redirect, begun.pending, signal))).to.equal(told);
      if (title === 'nobody answers') open.splice(open.length - 2, 1);
    });
  }

  for (const pending of ['', 'x', '[]', '{}', '{"state":"x"}', '{"state":1,"verifier":2}']) {
    it(`refuses to finish a login that it did not start: ${JSON.stringify(pending)}`, async () => {
      const { provider, login } = await start();
      const { url } = await login.begin(REDIRECT, signal);
      expect(await refusalOf(login.finish(provider.agree(url), pending, signal))).to.equal(
        'ERR_OAUTH_LOGIN refused',
      );
    });
  }

  it('refuses an ID token of another login', async () => {
    const shape = {
      issuerPath: '',
      authorizePath: '/authorize',
      tokenPath: '/token',
      answer: (usual: object) => ({ ...usual, id_token: theirs }),
    };
    const { provider, login } = await start({ shape });
    const theirs = provider.tokenFor({ sub: 'eve', aud: 'pages', nonce: 'theirs' });
    const begun = await login.begin(REDIRECT, signal);
    const finished = login.finish(provider.agree(begun.url), begun.pending, signal);
    expect(await refusalOf(finished)).to.equal('ERR_LOGIN_REFUSED refused');
  });

  it('reports the end of a login, and when that cannot be known', async () => {
    const { provider, login } = await start();
    const begun = await login.begin(REDIRECT, signal);
    const { renewal = '' } = await login.finish(provider.agree(begun.url), begun.pending, signal);
    provider.refusal = { status: 503, body: { error: 'temporarily_unavailable' } };
    expect(await refusalOf(login.renew(renewal, signal))).to.equal('ERR_LOGIN_TOKEN unavailable');
    provider.refusal = undefined;
    provider.forget();
    expect(await refusalOf(login.renew(renewal, signal))).to.equal('ERR_LOGIN_EXPIRED refused');
  });

  it('sends a refresh token only to the provider that issued it, also when another provider has its name now', async () => {
    const [before, now] = [await start(), await start()];
    const begun = await before.login.begin(REDIRECT, signal);
    const { renewal = '' } = await before.login.finish(
      before.provider.agree(begun.url),
      begun.pending,
      signal,
    );
    expect(await refusalOf(now.login.renew(renewal, signal))).to.equal('ERR_LOGIN_EXPIRED refused');
    await now.login.end(renewal, signal);
    expect([now.provider.tokenRequests, now.provider.revoked]).to.deep.equal([[], []]);
  });

  for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
    it(`refuses discovery with a ${name} over plain http on another host`, async () => {
      const shape = {
        issuerPath: '',
        authorizePath: '/authorize',
        tokenPath: '/token',
        discovery: { [name]: 'http://evil.example/' },
      };
      const { login } = await start({ shape });
      expect(await refusalOf(login.begin(REDIRECT, signal))).to.equal('ERR_OAUTH_ENDPOINT unavailable');
    });
  }

  it("requests all endpoints of the discovery through the provider's guarded connection", async () => {
    const asked: string[] = [];
    const opened: unknown[] = [];
    const issuer = 'https://sso.acme.example';
    const fetch = async (input: unknown): Promise<Response> => {
      const url = String(input instanceof Request ? input.url : input);
      asked.push(url);
      if (url.startsWith('https://169.254.169.254/')) throw new TypeError('the address is not public');
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: 'https://169.254.169.254/token',
        jwks_uri: `${issuer}/keys`,
      });
    };
    const auth = await oauthAuth.create(
      configOf({
        name: 'main',
        issuerUrl: issuer,
        audience: 'portolan',
        allowPrivateIP: false,
        login: { clientId: 'pages', scopes: ['openid'], parameters: {}, token: 'access_token' },
      }),
      {
        ...createTestContext(),
        openFetch: async (options) => {
          opened.push(options);
          return { fetch, close: async () => {} };
        },
      },
    );
    open.push(() => auth.close?.());
    const login = auth.logins?.()[0];
    const { url, pending } = (await login?.begin(REDIRECT, signal)) ?? {};
    const redirect = new URL(`${REDIRECT}?code=x&state=${url?.searchParams.get('state')}`);
    expect(await refusalOf(Promise.resolve(login?.finish(redirect, pending ?? '', signal)))).to.match(
      /^ERR_LOGIN_/,
    );
    expect(opened).to.deep.equal([{ allowPrivateAddresses: false, loopbackFor: [issuer] }]);
    expect(asked).to.deep.equal([
      `${issuer}/.well-known/openid-configuration`,
      'https://169.254.169.254/token',
    ]);
  });

  it('asks for a tenant when the discovery document covers any tenant (codex 38973)', async () => {
    const discovery = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
    const { login } = await start({ shape: { ...USUAL_SHAPE, discovery } });
    const error: unknown = await login.begin(REDIRECT, signal).catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message').that.includes('name the tenant');
  });

  it('needs no discovery when both addresses are configured', async () => {
    const twin = await LoginProvider.open();
    open.push(() => twin.close());
    const { login } = await start(
      {
        shape: {
          issuerPath: '',
          authorizePath: '/none',
          tokenPath: '/none',
          discovery: { issuer: 'nobody' },
        },
      },
      {
        authorizationUrl: `${twin.issuerUrl}/authorize`,
        tokenUrl: `${twin.issuerUrl}/token`,
        scopes: ['read'],
      },
    );
    const begun = await login.begin(REDIRECT, signal);
    const redirect = twin.agree(begun.url);
    redirect.searchParams.delete('iss');
    expect((await login.finish(redirect, begun.pending, signal)).token).to.be.a('string');
  });
});
