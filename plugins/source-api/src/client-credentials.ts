import { configurationOf, oauthErrorOf, tokenSetOf } from '@portolan/oauth-client';
import { askDocument } from '@portolan/outbound';
import { isPortolanError, parseDuration, type PluginContext } from '@portolan/plugin-api';
import type { Configuration, CustomFetch } from 'openid-client';
import type { ApiConfig } from './api-config.ts';
import { tokenNotReceived } from './errors.ts';
import { OriginFetch } from './origin-fetch.ts';

type Settings = NonNullable<NonNullable<ApiConfig['auth']>['clientCredentials']>;

/** Time before its expiry at which a token is replaced, in milliseconds. */
const MARGIN_MS = 30_000;

/** Lifetime of a token without `expires_in`. */
const UNSAID_MS = 300_000;

const MAX_BYTES = 262_144;

/** Gets tokens with client credentials (RFC 6749, section 4.4). The first token loads the library. */
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
        throw isOwn ? cause : tokenNotReceived(reasonOf(cause), cause);
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

  /**
   * Reads the issuer's metadata for each token, because tokens are rarely requested and the issuer may change
   * its endpoint.
   */
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
    const configuration = await discover('oidc').catch(async () => await discover('oauth2'));
    const metadata = configuration.serverMetadata();
    // SAFETY: both are the platform's fetch except for body types that the library does not send.
    const fetch = options[openid.customFetch] as typeof globalThis.fetch;
    const config = await configurationOf({ metadata }, { clientId, clientSecret }, { fetch }, isPlain);
    // The timeout of the source applies in `#fetchOf`, so this one must be longer.
    config.timeout = Math.ceil(this.#timeoutMs / 1000) + 1;
    return config;
  }

  /**
   * Returns a `fetch` with limits of size and time, which only connects to the issuer's origin or public
   * addresses.
   */
  #fetchOf(signal: AbortSignal): CustomFetch {
    const { origin } = new URL(this.#settings.issuer);
    return async (url, { method, headers, body }) => {
      const request = new URL(url);
      // An issuer on loopback needs no TLS; an endpoint at another origin does.
      if (request.protocol !== 'https:' && request.origin !== origin)
        throw tokenNotReceived('it names an address without TLS on another host');
      const { status, type, bytes } = await askDocument(request, {
        fetch: this.#origin.fetch,
        method,
        headers,
        ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: body.toString() } : {}),
        timeoutMs: this.#timeoutMs,
        maxBytes: MAX_BYTES,
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

/** Returns the reason for a failure. Never contains what was sent. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it failed';
  const error = oauthErrorOf(cause);
  if (error !== undefined) return error;
  if (isPortolanError(cause)) return cause.message.replace(/\.$/, '');
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : 'the request failed';
}

export interface Credentials {
  /** Returns the `Authorization` header. Throws ERR_SOURCE_API_TOKEN and ERR_SOURCE_CREDENTIAL_FILE. */
  authorize(signal: AbortSignal): Promise<string>;
  /** Returns whether another token is available after the registry rejected the current one. */
  renew?(): boolean;
  close?(): Promise<void>;
}
