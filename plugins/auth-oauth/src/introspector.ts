import type { FileText } from './file-text.ts';
import { endpointUnusable, introspectionBusy } from './errors.ts';
import { fetchDocument } from './fetch-document.ts';
import { dialectOf, type IntrospectionDialect } from './introspection-dialect.ts';
import type { JsonObject } from './json.ts';
import type { ProviderSettings } from './provider-settings.ts';
import type { Timing } from './timing.ts';

/** More are not asked about at once: made-up tokens may not become a flood at the provider. */
const MOST_AT_ONCE = 50;

/** Looks opaque tokens up at the introspection endpoint of one provider. */
export class Introspector {
  readonly #settings: ProviderSettings;
  readonly #url: string;
  readonly #dialect: IntrospectionDialect;
  readonly #secret: FileText | undefined;
  readonly #timing: Timing;
  readonly #closing = new AbortController();
  #atOnce = 0;

  constructor(url: string, settings: ProviderSettings, timing: Timing) {
    this.#url = url;
    this.#dialect = dialectOf(url);
    this.#settings = settings;
    this.#secret = settings.clientSecret;
    this.#timing = timing;
  }

  /**
   * The claims of a token; undefined when it is not, or no longer, good. Throws
   * ERR_OAUTH_ENDPOINT, ERR_OAUTH_FILE and ERR_OAUTH_BUSY.
   */
  async findClaims(token: string): Promise<JsonObject | undefined> {
    if (this.#atOnce >= MOST_AT_ONCE) throw introspectionBusy();
    this.#atOnce += 1;
    try {
      return await this.#ask(token);
    } finally {
      this.#atOnce -= 1;
    }
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#closing.abort();
  }

  async #ask(token: string): Promise<JsonObject | undefined> {
    const { connection, allowInsecure, clientId } = this.#settings;
    const client = { id: clientId, secret: await this.#secret?.readCredential() };
    const { url, ...request } = this.#dialect.request(this.#url, token, client);
    const { status, document } = await fetchDocument(url, {
      ...request,
      fetch: connection.fetch,
      allowInsecure,
      timeoutMs: this.#timing.requestMs,
      signal: this.#closing.signal,
    });
    const answer = this.#dialect.read(status, document);
    // The address as configured: that of the request may hold the token.
    if (answer === 'unclear')
      throw endpointUnusable(this.#url, `does not say whether a token is active (status ${status})`);
    return answer === 'inactive' ? undefined : answer;
  }
}
