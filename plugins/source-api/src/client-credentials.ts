import { configurationOf, oauthErrorOf, tokenSetOf } from '@portolan/oauth-client';
import { askDocument } from '@portolan/outbound';
import { isPortolanError, parseDuration, type PluginContext } from '@portolan/plugin-api';
import type { Configuration, CustomFetch } from 'openid-client';
import type { ApiConfig } from './api-config.ts';
import { tokenNotHad } from './errors.ts';
import { OriginFetch } from './origin-fetch.ts';

type Settings = NonNullable<NonNullable<ApiConfig['auth']>['clientCredentials']>;

/** A token is not used any more so long before it ends. */
const MARGIN_MS = 30_000;

/** Used so long where the issuer does not say how long it is good. */
const UNSAID_MS = 300_000;

const MAX_BYTES = 262_144;

/** Tokens that an issuer gives a program by its client credentials (RFC 6749, 4.4); the library is loaded with the first one. */
export class ClientCredentials implements Credentials {
  readonly #settings: Settings;
  readonly #timeoutMs: number;
  readonly #clock: () => Date;
  readonly #origin: OriginFetch;
  #token: { readonly text: string; readonly endsMs: number } | undefined;

  constructor(
    settings: Settings,
    timeout: string,
    context: Pick<PluginContext, 'fetch' | 'openFetch' | 'clock'>,
  ) {
    this.#settings = settings;
    this.#timeoutMs = Math.ceil(parseDuration(timeout));
    this.#clock = context.clock;
    this.#origin = new OriginFetch(new URL(settings.issuer), context);
  }

  async authorize(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (this.#token === undefined || this.#token.endsMs - MARGIN_MS <= this.#clock().getTime()) {
      try {
        this.#token = await this.#ask(signal);
      } catch (cause) {
        signal.throwIfAborted();
        const isOwn = isPortolanError(cause) && cause.code === 'ERR_SOURCE_API_TOKEN';
        throw isOwn ? cause : tokenNotHad(reasonOf(cause), cause);
      }
    }
    return `Bearer ${this.#token.text}`;
  }

  renew(): boolean {
    const had = this.#token !== undefined;
    this.#token = undefined;
    return had;
  }

  async close(): Promise<void> {
    await this.#origin.close();
  }

  async #ask(signal: AbortSignal) {
    const { clientCredentialsGrant } = await import('openid-client');
    const { scope, resource, audience } = this.#settings;
    const now = this.#clock();
    const response = await clientCredentialsGrant(await this.#discover(signal), {
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource }),
      ...(audience === undefined ? {} : { audience }),
    });
    const { accessToken, expiresAt } = tokenSetOf(response, now);
    return { text: accessToken, endsMs: expiresAt?.getTime() ?? now.getTime() + UNSAID_MS };
  }

  /** Asked with each token, so that an issuer may move its endpoint: tokens are asked for seldom. */
  async #discover(signal: AbortSignal): Promise<Configuration> {
    const openid = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.startsWith('http:');
    const options = {
      [openid.customFetch]: this.#fetchOf(signal),
      execute: isPlain ? [openid.allowInsecureRequests] : [],
    };
    const discover = async (algorithm: 'oidc' | 'oauth2'): Promise<Configuration> =>
      await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), { ...options, algorithm });
    const found = await discover('oidc').catch(async () => await discover('oauth2'));
    const metadata = found.serverMetadata();
    // SAFETY: both are the platform's fetch but for types of bodies that the library does not send.
    const fetch = options[openid.customFetch] as typeof globalThis.fetch;
    const config = await configurationOf({ metadata }, { clientId, clientSecret }, { fetch }, isPlain);
    // The time limit of the source ends requests, in `#fetchOf`.
    config.timeout = Math.ceil(this.#timeoutMs / 1000) + 1;
    return config;
  }

  /** Answers of at most so many bytes, in time, from the origin of the issuer or public ones. */
  #fetchOf(signal: AbortSignal): CustomFetch {
    const { origin } = new URL(this.#settings.issuer);
    return async (url, { method, headers, body }) => {
      const asked = new URL(url);
      // An issuer on loopback needs no TLS; an endpoint that its document names elsewhere does.
      if (asked.protocol !== 'https:' && asked.origin !== origin)
        throw tokenNotHad('it names an address without TLS on another host');
      const { status, type, bytes } = await askDocument(asked, {
        fetch: this.#origin.fetch,
        method,
        headers,
        ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: body.toString() } : {}),
        timeoutMs: this.#timeoutMs,
        mostBytes: MAX_BYTES,
        signal,
      });
      const hasBody = bytes.length > 0 && status !== 204 && status !== 304;
      return new Response(hasBody ? new Uint8Array(bytes) : null, {
        status,
        headers: { 'content-type': type },
      });
    };
  }
}

/** What the issuer says by its code, or the library by its own; never what was sent. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it failed';
  const error = oauthErrorOf(cause);
  if (error !== undefined) return error;
  if (isPortolanError(cause)) return cause.message.replace(/\.$/, '');
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : 'it cannot be asked';
}

/** What a registry is shown with each request. */
export interface Credentials {
  /** Value of the `Authorization` header. Throws ERR_SOURCE_API_TOKEN and ERR_SOURCE_CREDENTIAL_FILE. */
  authorize(signal: AbortSignal): Promise<string>;
  /** After a refusal: whether another token can be had at once, so that asking again may help. */
  renew?(): boolean;
  close?(): Promise<void>;
}
