import { endpointUnusable } from './errors.ts';
import { type DocumentRequest, fetchDocument } from './fetch-document.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { readSigningKeys, type SigningKeys } from './signing-key.ts';
import type { Timing } from './timing.ts';
import { findUrlProblem, trimIssuer } from './url-rules.ts';

const MOST_KEYS = 100;

/**
 * Fetches the keys of a provider, from `jwksUrl` or from where discovery says.
 * What discovery has said is remembered for an hour, and forgotten with the
 * first failure.
 */
export class KeyFetcher {
  readonly #settings: ProviderSettings;
  readonly #timing: Timing;
  readonly #clock: () => Date;
  #discovered: { readonly url: string; readonly at: number } | undefined;

  constructor(settings: ProviderSettings, timing: Timing, clock: () => Date) {
    this.#settings = settings;
    this.#timing = timing;
    this.#clock = clock;
  }

  /** One attempt. Throws ERR_OAUTH_ENDPOINT and ERR_OAUTH_FILE. */
  async fetch(signal: AbortSignal): Promise<SigningKeys> {
    try {
      const request = await this.#request(signal);
      const url = this.#settings.jwksUrl ?? (await this.#discover(request));
      return await readKeys(url, request);
    } catch (error) {
      this.#discovered = undefined;
      throw error;
    }
  }

  async #request(signal: AbortSignal): Promise<DocumentRequest> {
    const { connection, allowInsecure, authToken } = this.#settings;
    const headers: Record<string, string> =
      authToken === undefined ? {} : { authorization: `Bearer ${await authToken.readCredential()}` };
    return { fetch: connection.fetch, allowInsecure, timeoutMs: this.#timing.requestMs, signal, headers };
  }

  async #discover(request: DocumentRequest): Promise<string> {
    const now = this.#clock().getTime();
    const known = this.#discovered;
    if (known !== undefined && Math.abs(now - known.at) < this.#timing.discoveryMs) return known.url;
    const { issuerUrl, allowInsecure } = this.#settings;
    const url = `${trimIssuer(issuerUrl)}/.well-known/openid-configuration`;
    const { issuer, jwks_uri: keys } = await fetchObject(url, request);
    if (typeof issuer !== 'string' || trimIssuer(issuer) !== trimIssuer(issuerUrl)) {
      throw endpointUnusable(url, 'describes another issuer than the one that is configured');
    }
    const problem = typeof keys === 'string' ? findUrlProblem(keys, allowInsecure) : 'is missing';
    if (typeof keys !== 'string' || problem !== undefined) {
      throw endpointUnusable(url, `has a jwks_uri that ${problem}`);
    }
    this.#discovered = { url: keys, at: now };
    return keys;
  }
}

async function readKeys(url: string, request: DocumentRequest): Promise<SigningKeys> {
  try {
    return await readSigningKeys(url, async () => {
      const { keys } = await fetchObject(url, request);
      if (!Array.isArray(keys)) throw endpointUnusable(url, 'has no list of keys');
      if (keys.length > MOST_KEYS) throw endpointUnusable(url, `has more than ${MOST_KEYS} keys`);
      return { keys: keys.filter(isJsonObject) };
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause;
    throw endpointUnusable(url, `has no keys that can be used: ${String(cause)}`, cause);
  }
}

async function fetchObject(url: string, request: DocumentRequest): Promise<JsonObject> {
  const { status, document } = await fetchDocument(url, request);
  if (status !== 200) throw endpointUnusable(url, `answers with status ${status}; expected 200`);
  if (!isJsonObject(document)) throw endpointUnusable(url, 'answers with something that is no JSON object');
  return document;
}
