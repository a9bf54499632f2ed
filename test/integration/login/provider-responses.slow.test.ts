import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import {
  beginCodeFlow,
  beginDeviceFlow,
  boundedFetch,
  configurationOf,
  OauthWeb,
  refreshTokens,
  revokeToken,
} from '@portolan/oauth-client';
import { openFetch } from '@portolan/outbound';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { oauthAuth } from '../../../plugins/auth-oauth/src/index.ts';
import { configOf } from '../../../plugins/auth-oauth/test/support/oauth-under-test.ts';
import { SETTINGS } from '../../../plugins/proxy-token-exchange/test/settings.ts';
import { TokenExchanger } from '../../../plugins/proxy-token-exchange/src/token-exchanger.ts';
import { ClientCredentials } from '../../../plugins/source-api/src/client-credentials.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';

interface Sent {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ok = (body: object | string): Sent => ({ status: 200, body });

/** Token responses from the documentation of each provider. */
const TOKENS: Readonly<Record<string, Sent>> = {
  'RFC 6749': ok({ access_token: 'the-token', token_type: 'Bearer', expires_in: 3600 }),
  'Slack, oauth.v2.user.access': ok({
    ok: true,
    access_token: 'the-token',
    token_type: 'user',
    scope: 'search:read,chat:write',
  }),
  'Slack, oauth.v2.access for a user': ok({
    ok: true,
    app_id: 'A1',
    team: { id: 'T1' },
    authed_user: { id: 'U1', scope: 'chat:write', access_token: 'the-token', token_type: 'user' },
  }),
  'Slack, oauth.v2.access for a bot': ok({
    ok: true,
    access_token: 'the-token',
    token_type: 'bot',
    scope: 'chat:write',
    authed_user: { id: 'U1' },
  }),
  'Entra, version 1': ok({
    access_token: 'the-token',
    token_type: 'Bearer',
    expires_in: '5250',
    ext_expires_in: '5250',
  }),
  Atlassian: ok({ access_token: 'the-token', expires_in: 3600, scope: 'read:jira-work offline_access' }),
  Linear: ok({
    access_token: 'the-token',
    token_type: 'Bearer',
    expires_in: 86_399,
    scope: ['read', 'write'],
  }),
  Notion: ok({ access_token: 'the-token', token_type: 'bearer', bot_id: 'b', refresh_token: null }),
  GitHub: ok({ access_token: 'the-token', token_type: 'bearer', scope: 'repo,gist' }),
  'GitHub without JSON': {
    ...ok('access_token=the-token&scope=repo%2Cgist&token_type=bearer'),
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  },
  'a server that answers 201 as text': {
    status: 201,
    body: JSON.stringify({ access_token: 'the-token', token_type: 'Bearer' }),
    headers: { 'content-type': 'text/plain' },
  },
};

/** Errors that a repeated request does not change. */
const REFUSALS: Readonly<Record<string, Sent & { readonly code: string }>> = {
  'RFC 6749': { status: 400, body: { error: 'invalid_grant' }, code: 'invalid_grant' },
  'RFC 6749, with a challenge': {
    status: 401,
    body: { error: 'invalid_client' },
    headers: { 'www-authenticate': 'Basic realm="id"' },
    code: 'invalid_client',
  },
  'GitHub, code': {
    ...ok({ error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }),
    code: 'bad_verification_code',
  },
  'GitHub, refresh token': { ...ok({ error: 'bad_refresh_token' }), code: 'bad_refresh_token' },
  'GitHub, client': {
    ...ok({ error: 'incorrect_client_credentials' }),
    code: 'incorrect_client_credentials',
  },
  'GitHub without JSON': { ...ok('error=bad_refresh_token&error_description=x'), code: 'bad_refresh_token' },
  Slack: { ...ok({ ok: false, error: 'invalid_client_id' }), code: 'invalid_client_id' },
};

const { signal } = new AbortController();
const now = (): Date => new Date();

/** An authorization server whose token, device and revocation endpoints send one response. */
class CannedIssuer {
  readonly #server: Server;
  url = '';
  sent: Sent = { status: 500, body: {} };

  constructor() {
    this.#server = createServer((request, response) => {
      void (async () => {
        const { status, body, headers } = await this.#respond(request);
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      })();
    });
  }

  async open(): Promise<void> {
    this.url = `http://127.0.0.1:${await listenOnLoopback(this.#server)}`;
  }

  get metadata() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      revocation_endpoint: `${this.url}/token`,
      device_authorization_endpoint: `${this.url}/device`,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #respond(request: IncomingMessage): Promise<Sent> {
    await readText(request);
    if (request.method === 'GET') return ok(this.metadata);
    if (request.url === '/token') return this.sent;
    const verification = { verification_uri: `${this.url}/enter`, expires_in: '900', interval: 1 };
    return ok({ device_code: 'd', user_code: 'A-B', ...verification });
  }
}

describe('token responses of real providers (GitHub: typescript-sdk 1342; Slack: claude-code 59725, coder 26150, openwork 3569)', () => {
  const issuer = new CannedIssuer();
  const logger = createRecordingLogger();
  const closes: (() => unknown)[] = [];
  let web: OauthWeb;
  before(async () => {
    await issuer.open();
    web = await OauthWeb.open({ named: [issuer.url], openFetch, environment: {} });
  });
  after(async () => {
    for (const close of closes) await close();
    await web.close();
    await issuer.close();
  });

  const configure = async () =>
    await configurationOf(issuer, { clientId: 'portolan', clientSecret: 'secret' }, web);
  const flow = { redirectUri: 'http://localhost:8666/callback', scopes: undefined, scopeParamName: 'scope' };
  const redirectOf = (url: URL): URL =>
    new URL(`http://localhost:8666/callback?code=c&state=${url.searchParams.get('state') ?? ''}`);

  /** All components that get a token from a token endpoint. Each returns the token. */
  const USERS: Readonly<Record<string, () => Promise<string>>> = {
    async 'a login to a remote'() {
      const begun = await beginCodeFlow(await configure(), { ...flow, resource: undefined, extra: {} });
      return (await begun.finish(redirectOf(begun.url), now)).accessToken;
    },
    async 'a refresh'() {
      return (await refreshTokens(await configure(), 'before', undefined, now)).accessToken;
    },
    async 'a login on another device'() {
      const request = { ...flow, resource: 'https://mcp.example', extra: {} };
      const begun = await beginDeviceFlow(await configure(), request, web);
      return (await begun.finish(now, signal)).accessToken;
    },
    async 'a login to the pages of a registry'() {
      const login = { clientId: 'pages', scopes: [], parameters: {}, token: 'access_token' as const };
      const provider = { name: 'main', issuerUrl: issuer.url, audience: 'a', allowPrivateIP: true, login };
      const auth = await oauthAuth.create(configOf(provider), createTestContext());
      closes.push(() => auth.close?.());
      const [pages] = auth.logins?.() ?? [];
      if (pages === undefined) throw new Error('the provider has no login');
      const { url, pending } = await pages.begin('http://localhost:8666/callback', signal);
      return (await pages.finish(redirectOf(url), pending, signal)).token;
    },
    async 'the client credentials of a source'() {
      const context = createTestContext();
      const settings = { issuer: issuer.url, clientId: 'portolan', clientSecret: 'secret' };
      const credentials = new ClientCredentials(settings, '5s', context);
      closes.push(() => credentials.close());
      return (await credentials.authorize(signal)).replace('Bearer ', '');
    },
  };

  const messageOf = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.catch((thrown: unknown) => thrown);
    if (!isPortolanError(error)) throw new Error('no error of Portolan', { cause: error });
    return error.message;
  };

  for (const [user, use] of Object.entries(USERS)) {
    for (const [provider, sent] of Object.entries(TOKENS)) {
      it(`${user} › uses the token that ${provider} returns`, async () => {
        issuer.sent = sent;
        expect(await use()).to.equal('the-token');
      });
    }
    for (const [provider, { code, ...sent }] of Object.entries(REFUSALS)) {
      it(`${user} › fails with the code that ${provider} returns`, async () => {
        issuer.sent = sent;
        expect(await messageOf(use()))
          .to.include(code)
          .and.not.include('access_token');
      });
    }
  }

  for (const [provider, { code: _code, ...sent }] of Object.entries(REFUSALS)) {
    it(`a refresh › ends the login when the response is that of ${provider}`, async () => {
      issuer.sent = sent;
      const error: unknown = await refreshTokens(await configure(), 'before', undefined, now).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.include({ code: 'ERR_LOGIN_EXPIRED' });
    });
    it(`a revocation › is refused when the response is that of ${provider}`, async () => {
      issuer.sent = sent;
      expect(await revokeToken(await configure(), 'token')).to.include({ is: 'refused' });
    });
  }

  for (const error of ['ratelimited', 'internal_error', 'temporarily_unavailable']) {
    it(`a refresh › retries after a 200 with the transient error ${error}`, async () => {
      issuer.sent = ok({ ok: false, error });
      const thrown: unknown = await refreshTokens(await configure(), 'before', undefined, now).catch(
        (reason: unknown) => reason,
      );
      expect(thrown).to.include({ code: 'ERR_LOGIN_TOKEN' });
    });
  }

  it('a login on another device › keeps polling when authorization_pending comes with status 200 (GitHub)', async () => {
    issuer.sent = ok({ error: 'authorization_pending' });
    const request = { ...flow, resource: 'https://mcp.example', extra: {} };
    const asked: Sent[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await web.fetch(input, init);
      if (new Request(input, init).url.endsWith('/token')) {
        asked.push(issuer.sent);
        issuer.sent = ok({ access_token: 'the-token', token_type: 'bearer' });
      }
      return response;
    };
    const configuration = await configurationOf(
      issuer,
      { clientId: 'p', clientSecret: undefined },
      { fetch },
    );
    const begun = await beginDeviceFlow(configuration, request, web);
    expect((await begun.finish(now, signal)).accessToken).to.equal('the-token');
    expect(asked).to.have.length(2);
  });

  for (const [provider, sent] of Object.entries(TOKENS)) {
    it(`a token exchange › uses the token that ${provider} returns`, async () => {
      const issued = { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
      issuer.sent = {
        ...sent,
        body: typeof sent.body === 'string' ? sent.body : { ...sent.body, ...issued },
      };
      // Forms and plain text cannot contain the member that RFC 8693 requires.
      const expected = typeof sent.body === 'string' ? 'ERR_TOKEN_EXCHANGE' : 'the-token';
      expect(await exchange()).to.equal(expected);
    });
  }

  async function exchange(): Promise<unknown> {
    const { clock } = createTestContext();
    const config = { ...SETTINGS, token_url: `${issuer.url}/token` };
    const connection = { authorization: undefined, fetch: boundedFetch(globalThis.fetch) };
    const exchanger = new TokenExchanger({ config, ...connection, logger, clock });
    closes.push(() => exchanger.close());
    return await exchanger.exchange('subject').catch((error: unknown) => Object(error).code);
  }

  for (const [provider, { code, ...sent }] of Object.entries(REFUSALS)) {
    it(`a token exchange › logs the code that ${provider} returns`, async () => {
      issuer.sent = sent;
      expect(await exchange()).to.equal('ERR_TOKEN_EXCHANGE');
      expect(JSON.stringify(logger.lines.at(-1))).to.include(code);
    });
  }
});
