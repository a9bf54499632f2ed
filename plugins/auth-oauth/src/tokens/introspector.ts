import { endpointUnusable, introspectionBusy } from '../errors.ts';
import { fetchDocument } from '../keys/fetch-document.ts';
import { dialectOf } from './introspection-dialect.ts';
import type { JsonObject } from '../json.ts';
import type { ProviderSettings } from '../config/provider-settings.ts';
import type { Timing } from '../timing.ts';

/** Maximum number of concurrent introspections, so that invented tokens cannot flood the provider. */
const MAX_AT_ONCE = 50;

export class Introspector {
  readonly #settings: ProviderSettings;
  readonly #findUrl: (signal: AbortSignal) => Promise<string | undefined>;
  readonly #timing: Timing;
  readonly #closing = new AbortController();
  #atOnce = 0;

  /** `findUrl` returns undefined where the provider has no endpoint. */
  constructor(
    findUrl: (signal: AbortSignal) => Promise<string | undefined>,
    settings: ProviderSettings,
    timing: Timing,
  ) {
    this.#findUrl = findUrl;
    this.#settings = settings;
    this.#timing = timing;
  }

  /** Throws ERR_OAUTH_ENDPOINT, ERR_OAUTH_CONFIG and ERR_OAUTH_BUSY. */
  async findClaims(token: string): Promise<JsonObject | 'inactive' | 'no-endpoint'> {
    if (this.#atOnce >= MAX_AT_ONCE) throw introspectionBusy();
    this.#atOnce += 1;
    try {
      return await this.#ask(token);
    } finally {
      this.#atOnce -= 1;
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(token: string): Promise<JsonObject | 'inactive' | 'no-endpoint'> {
    const { connection, allowInsecure, clientId, clientSecret, authToken } = this.#settings;
    const endpoint = await this.#findUrl(this.#closing.signal);
    if (endpoint === undefined) return 'no-endpoint';
    const dialect = dialectOf(endpoint);
    const secret = typeof clientSecret === 'string' ? clientSecret : await clientSecret?.readCredential();
    const bearer = secret === undefined ? await authToken?.readCredential() : undefined;
    const { url, ...request } = dialect.request(endpoint, token, { id: clientId, secret, bearer });
    const { status, document } = await fetchDocument(url, {
      ...request,
      fetch: connection.fetch,
      fetchElsewhere: connection.fetchElsewhere,
      allowInsecure,
      timeoutMs: this.#timing.requestMs,
      signal: this.#closing.signal,
    });
    const response = dialect.read(status, document);
    // Names the configured address, because the address of the request may contain the token.
    if (response === 'unclear')
      throw endpointUnusable(endpoint, `does not say whether a token is active (status ${status})`);
    return response;
  }
}
