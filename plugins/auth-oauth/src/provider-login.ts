import {
  beginCodeFlow,
  boundedFetch,
  configurationOf,
  finishCodeFlow,
  loginExpired,
  type LoginProof,
  refreshTokens,
  revokeToken,
  type TokenSet,
} from '@portolan/oauth-client';
import type { LoginAttempt, BrowserLogin, LoginTokens, PluginContext } from '@portolan/plugin-api';
import { endpointUnusable, loginStrange } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { readDiscovery } from './keys/key-fetcher.ts';
import type { LoginSettings, ProviderSettings } from './config/provider-settings.ts';
import type { Timing } from './timing.ts';
import { findUrlProblem } from './url-rules.ts';

type Configuration = Awaited<ReturnType<typeof configurationOf>>;
type ServerMetadata = Parameters<typeof configurationOf>[0]['metadata'];

/**
 * Code flow, PKCE with S256, and a new state and nonce for each login. Addresses and certificates are trusted
 * as those of token verification.
 */
export class ProviderLogin implements BrowserLogin {
  readonly name: string;
  readonly #settings: ProviderSettings;
  readonly #login: LoginSettings;
  readonly #clock: () => Date;
  readonly #nowMs: () => number;
  readonly #timing: Timing;
  #known: { readonly metadata: ServerMetadata; readonly at: number } | undefined;

  constructor(
    settings: ProviderSettings,
    login: LoginSettings,
    { clock, nowMs }: Pick<PluginContext, 'clock' | 'nowMs'>,
    timing: Timing,
  ) {
    this.name = settings.name;
    this.#settings = settings;
    this.#login = login;
    this.#clock = clock;
    this.#nowMs = nowMs;
    this.#timing = timing;
  }

  async begin(redirectUri: string, signal: AbortSignal): Promise<LoginAttempt> {
    const { scopes, parameters } = this.#login;
    const { url, proof } = await beginCodeFlow(await this.#configuration(signal), {
      redirectUri,
      scopes: scopes.length === 0 ? undefined : scopes,
      scopeParamName: 'scope',
      resource: undefined,
      extra: parameters,
      wantsIdToken: scopes.includes('openid'),
    });
    return { url, pending: JSON.stringify(proof) };
  }

  async finish(redirect: URL, pending: string, signal: AbortSignal): Promise<LoginTokens> {
    const proof = readProof(pending);
    const request = { proof, resource: this.#login.parameters['resource'] };
    return this.#tokensOf(
      await finishCodeFlow(await this.#configuration(signal), request, redirect, this.#clock),
    );
  }

  async renew(renewal: string, signal: AbortSignal): Promise<LoginTokens> {
    const { resource } = this.#login.parameters;
    const token = this.#ownToken(renewal);
    if (token === undefined) throw loginExpired(`${this.name} is another provider now`);
    return this.#tokensOf(
      await refreshTokens(await this.#configuration(signal), token, resource, this.#clock),
    );
  }

  async end(renewal: string, signal: AbortSignal): Promise<void> {
    try {
      const token = this.#ownToken(renewal);
      if (token === undefined) return;
      await revokeToken(await this.#configuration(signal), token);
    } catch {
      // A failed revocation is not reported, because the token expires anyway.
    }
  }

  async leave(farewell: string | undefined, backTo: string, signal: AbortSignal): Promise<URL | undefined> {
    try {
      const { end_session_endpoint: endpoint } = await this.#metadata(signal);
      if (typeof endpoint !== 'string') return undefined;
      if (findUrlProblem(endpoint, this.#settings.allowInsecure) !== undefined) return undefined;
      const url = new URL(endpoint);
      url.searchParams.set('client_id', this.#login.clientId);
      url.searchParams.set('post_logout_redirect_uri', backTo);
      const hint = farewell === undefined ? undefined : this.#ownToken(farewell);
      if (hint !== undefined) url.searchParams.set('id_token_hint', hint);
      return url;
    } catch {
      // The user is logged out of the registry. The provider has no known logout address.
      return undefined;
    }
  }

  #tokensOf({ accessToken, expiresAt, refreshToken, subject: name, idToken }: TokenSet): LoginTokens {
    const renewal =
      refreshToken === undefined ? undefined : JSON.stringify({ of: this.#client(), token: refreshToken });
    // An ID token that grants access to this registry must not be in an address; the provider asks for
    // confirmation without it.
    if (this.#login.token === 'access_token') {
      const farewell =
        idToken === undefined ? undefined : JSON.stringify({ of: this.#client(), token: idToken.text });
      return { token: accessToken, expiresAt, renewal, name, farewell };
    }
    // A refresh response may omit the ID token (OpenID Connect Core, section 12.2). Then only a new login
    // returns one.
    if (idToken === undefined) throw loginExpired(`${this.name} has given no ID token`);
    return { token: idToken.text, expiresAt: idToken.expiresAt, renewal, name };
  }

  /**
   * Returns the stored refresh token. Undefined when it is from another issuer or for another client, even if
   * the provider has the same name.
   */
  #ownToken(renewal: string): string | undefined {
    const { of, token } = parse(renewal);
    return of === this.#client() && typeof token === 'string' ? token : undefined;
  }

  #client(): string {
    return JSON.stringify([this.#settings.issuerUrl, this.#login.clientId]);
  }

  async #configuration(signal: AbortSignal): Promise<Configuration> {
    const { connection, allowInsecure } = this.#settings;
    const { clientId, clientSecret } = this.#login;
    const metadata = await this.#metadata(signal);
    const client = { clientId, clientSecret: await clientSecret?.readCredential() };
    return await configurationOf(
      { metadata },
      client,
      { fetch: boundedFetch(connection.fetch) },
      allowInsecure,
    );
  }

  /**
   * Returns the provider's endpoints. Configured values take precedence over the discovery document, which is
   * cached for an hour.
   */
  async #metadata(signal: AbortSignal): Promise<ServerMetadata> {
    const { issuerUrl = '', connection, allowInsecure } = this.#settings;
    const { authorizationUrl, tokenUrl } = this.#login;
    if (authorizationUrl !== undefined && tokenUrl !== undefined)
      return { issuer: issuerUrl, authorization_endpoint: authorizationUrl, token_endpoint: tokenUrl };
    const now = this.#nowMs();
    if (this.#known !== undefined && now - this.#known.at < this.#timing.discoveryMs)
      return this.#known.metadata;
    const { fetch, fetchElsewhere } = connection;
    const request = { fetch, fetchElsewhere, allowInsecure, timeoutMs: this.#timing.requestMs, signal };
    const { url, issuer, document } = await readDiscovery(issuerUrl, request);
    const metadata = {
      ...document,
      issuer,
      authorization_endpoint: authorizationUrl ?? document['authorization_endpoint'],
      token_endpoint: tokenUrl ?? document['token_endpoint'],
    };
    for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const) {
      const endpoint: unknown = Reflect.get(metadata, name);
      if (endpoint === undefined && name === 'revocation_endpoint') continue;
      const problem = typeof endpoint === 'string' ? findUrlProblem(endpoint, allowInsecure) : 'is missing';
      if (problem !== undefined) throw endpointUnusable(url, `has a ${name} that ${problem}`);
    }
    // SAFETY: its used parts were checked; the library checks again.
    this.#known = { metadata: metadata as ServerMetadata, at: now };
    return this.#known.metadata;
  }
}

/** Parses the data that `begin` created. Throws ERR_OAUTH_LOGIN. */
function readProof(pending: string): LoginProof {
  const { state, verifier, nonce } = parse(pending);
  if (typeof state !== 'string' || typeof verifier !== 'string') throw loginStrange();
  return { state, verifier, nonce: typeof nonce === 'string' ? nonce : undefined };
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // `begin` writes only JSON, so this data is from elsewhere.
  }
  throw loginStrange();
}
