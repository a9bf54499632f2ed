import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';

type Document = Readonly<Record<string, unknown>>;

/** Differences of a provider from the default, as its documentation shows them. */
export interface ProviderShape {
  /** Path of the issuer, with its first slash. */
  readonly issuerPath: string;
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly revocationPath?: string;
  /** Path of the end session endpoint (RP-Initiated Logout 1.0). */
  readonly endSessionPath?: string;
  /** Further members of its discovery document. Undefined removes a member. */
  readonly discovery?: Document;
  /** Further parameters of its redirect. */
  readonly redirect?: Readonly<Record<string, string>>;
  /** Returns the token response, made from the default one. */
  readonly answer?: (usual: Document, requested: 'code' | 'refresh') => Document;
  /** Whether only the provider itself can read its access tokens. */
  readonly opaque?: boolean;
}

export const USUAL_SHAPE: ProviderShape = {
  issuerPath: '',
  authorizePath: '/authorize',
  tokenPath: '/token',
  revocationPath: '/revoke',
};

/** A person at the provider, and the client that may request tokens for them. */
export interface LoginProviderOptions {
  readonly shape?: ProviderShape;
  readonly audience?: string;
  readonly clientId?: string;
  /** Secret of the client. Undefined makes a public client. */
  readonly clientSecret?: string;
  /** Lifetime of tokens in seconds. */
  readonly tokenSeconds?: number;
  readonly clock?: () => Date;
}

interface Pending {
  readonly claims: Document;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
  readonly scope: string;
}

/**
 * A strict authorization server: exact redirect addresses, PKCE, and codes and refresh tokens that are valid
 * once. `agree` stands in for a person with a browser.
 */
export class LoginProvider {
  readonly issuerUrl: string;
  readonly options: Required<Omit<LoginProviderOptions, 'clientSecret'>> &
    Pick<LoginProviderOptions, 'clientSecret'>;
  readonly tokenRequests: URLSearchParams[] = [];
  /** All issued tokens. */
  readonly issued: string[] = [];
  readonly revoked: string[] = [];
  /** Refresh tokens that replaced others. */
  readonly renewals: string[] = [];
  /** Refresh tokens that were used a second time. */
  readonly replayed: string[] = [];
  /** Status that the token endpoint returns instead, while it is set. */
  refusal: { readonly status: number; readonly body: Document } | undefined;
  /** Changes each token response, while it is set. */
  spoil: ((response: Document) => Document) | undefined;
  /** Called before each response to a refresh. */
  beforeRefresh: () => Promise<void> = async () => {};
  readonly #origin: string;
  readonly #keys: TestIssuer;
  readonly #close: () => Promise<void>;
  readonly #codes = new Map<string, Pending>();
  readonly #renewals = new Map<string, Pick<Pending, 'claims' | 'nonce' | 'scope'>>();

  static async open(options: LoginProviderOptions = {}): Promise<LoginProvider> {
    const keys = await startTestIssuer({ algorithm: 'ES256' });
    const server = createServer((request, response) => void provider.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: a listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const provider = new LoginProvider(options, `http://127.0.0.1:${port}`, keys, async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await keys.close();
    });
    return provider;
  }

  private constructor(
    options: LoginProviderOptions,
    origin: string,
    keys: TestIssuer,
    close: () => Promise<void>,
  ) {
    this.options = {
      shape: USUAL_SHAPE,
      audience: 'portolan',
      clientId: 'pages',
      tokenSeconds: 300,
      clock: () => new Date(),
      ...options,
    };
    this.#origin = origin;
    this.issuerUrl = `${origin}${this.options.shape.issuerPath}`;
    this.#keys = keys;
    this.#close = close;
  }

  /** Consents at the address of a login, and returns the redirect address. */
  agree(url: URL, claims: Document = { sub: 'ada', name: 'Ada' }): URL {
    const { shape, clientId } = this.options;
    const query = url.searchParams;
    if (`${url.origin}${url.pathname}` !== `${this.#origin}${shape.authorizePath}`)
      throw new Error(`there is no login at ${url.origin}${url.pathname}`);
    if (query.get('client_id') !== clientId) throw new Error('the client is unknown');
    if (query.get('response_type') !== 'code') throw new Error('the response type is unknown');
    if (query.get('code_challenge_method') !== 'S256') throw new Error('PKCE is missing');
    const redirectUri = query.get('redirect_uri') ?? '';
    const code = randomUUID();
    this.#codes.set(code, {
      claims,
      challenge: query.get('code_challenge') ?? '',
      redirectUri,
      nonce: query.get('nonce'),
      scope: query.get('scope') ?? '',
    });
    const redirect = new URL(redirectUri);
    const report = { code, state: query.get('state') ?? '', iss: this.issuerUrl, ...shape.redirect };
    for (const [name, value] of Object.entries(report)) redirect.searchParams.set(name, value);
    return redirect;
  }

  /** Returns a token as a login would. */
  tokenFor(claims: Document): string {
    const { audience, tokenSeconds, clock } = this.options;
    const now = Math.floor(clock().getTime() / 1000);
    return this.#keys.sign({
      iss: this.issuerUrl,
      aud: audience,
      iat: now,
      exp: now + tokenSeconds,
      jti: randomUUID(),
      ...claims,
    });
  }

  /** Makes all refresh tokens invalid. */
  forget(): void {
    this.#renewals.clear();
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { shape } = this.options;
    const { pathname } = new URL(request.url ?? '', this.#origin);
    const send = (status: number, document: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    };
    if (pathname === `${shape.issuerPath.replace(/\/$/, '')}/.well-known/openid-configuration`)
      return send(200, this.#discovery());
    const form = new URLSearchParams(await readText(request));
    if (request.method === 'POST' && pathname === shape.revocationPath) {
      this.revoked.push(form.get('token') ?? '');
      return send(200, {});
    }
    if (request.method !== 'POST' || pathname !== shape.tokenPath) return send(404, { error: 'not_found' });
    this.tokenRequests.push(form);
    if (form.get('grant_type') === 'refresh_token') await this.beforeRefresh();
    if (this.refusal !== undefined) return send(this.refusal.status, this.refusal.body);
    if (!this.#isClient(request, form)) return send(401, { error: 'invalid_client' });
    const tokens = form.get('grant_type') === 'refresh_token' ? this.#refresh(form) : this.#redeem(form);
    if (tokens === undefined) return send(400, { error: 'invalid_grant' });
    send(200, this.spoil?.({ ...tokens }) ?? tokens);
  }

  #discovery(): object {
    const { shape } = this.options;
    const { revocationPath, endSessionPath } = shape;
    return {
      issuer: this.issuerUrl,
      authorization_endpoint: `${this.#origin}${shape.authorizePath}`,
      token_endpoint: `${this.#origin}${shape.tokenPath}`,
      ...(revocationPath === undefined ? {} : { revocation_endpoint: `${this.#origin}${revocationPath}` }),
      ...(endSessionPath === undefined ? {} : { end_session_endpoint: `${this.#origin}${endSessionPath}` }),
      jwks_uri: this.#keys.jwksUrl,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...shape.discovery,
    };
  }

  #isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    const { clientId, clientSecret } = this.options;
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
    const inputs =
      basic === undefined
        ? [form.get('client_id'), form.get('client_secret') ?? undefined]
        : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    return inputs[0] === clientId && inputs[1] === clientSecret;
  }

  #redeem(form: URLSearchParams): object | undefined {
    const code = form.get('code') ?? '';
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (pending === undefined || pending.challenge !== verifier) return undefined;
    return pending.redirectUri === form.get('redirect_uri') ? this.#tokens(pending, 'code') : undefined;
  }

  #refresh(form: URLSearchParams): object | undefined {
    const token = form.get('refresh_token') ?? '';
    const granted = this.#renewals.get(token);
    if (granted === undefined) {
      this.replayed.push(token);
      return undefined;
    }
    this.#renewals.delete(token);
    const response: Document = { ...this.#tokens(granted, 'refresh') };
    if (typeof response['refresh_token'] === 'string') this.renewals.push(response['refresh_token']);
    // A provider that does not rotate refresh tokens keeps the old one valid.
    if (!('refresh_token' in response)) this.#renewals.set(token, granted);
    return response;
  }

  #tokens(granted: Pick<Pending, 'claims' | 'nonce' | 'scope'>, requested: 'code' | 'refresh'): object {
    const { shape, tokenSeconds, clientId } = this.options;
    const { claims, nonce, scope } = granted;
    const renewal = randomUUID();
    const usual = {
      access_token: shape.opaque === true ? `ya29.${randomUUID()}` : this.tokenFor(claims),
      token_type: 'Bearer',
      expires_in: tokenSeconds,
      refresh_token: renewal,
      scope,
      ...(scope.split(' ').includes('openid')
        ? {
            id_token: this.tokenFor({
              ...claims,
              aud: clientId,
              ...(nonce === null || requested === 'refresh' ? {} : { nonce }),
            }),
          }
        : {}),
    };
    const response = shape.answer?.(usual, requested) ?? usual;
    if ('refresh_token' in response) this.#renewals.set(renewal, granted);
    const { access_token: access, id_token: id }: Document = response;
    this.issued.push(...[renewal, access, id].filter((token) => typeof token === 'string'));
    return response;
  }
}
