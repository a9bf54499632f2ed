import { namesTenantTemplate } from '@portolan/outbound';
import { endpointUnusable } from '../errors.ts';
import { type DocumentRequest, fetchDocument } from './fetch-document.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { ProviderSettings } from '../config/provider-settings.ts';
import { readSigningKeys, type SigningKeys } from './signing-key.ts';
import type { Timing } from '../timing.ts';
import { findUrlProblem, trimIssuer } from '../url-rules.ts';

const MAX_KEYS = 100;

/**
 * Fetches the keys of a provider, from `jwksUrl` or the address in the discovery document. The document is
 * cached for an hour, or until a fetch fails.
 */
export class KeyFetcher {
  readonly #settings: ProviderSettings;
  readonly #timing: Timing;
  readonly #nowMs: () => number;
  #discovered: (Discovered & { readonly at: number }) | undefined;
  #discovering: Promise<Discovered> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  constructor(settings: ProviderSettings, timing: Timing, nowMs: () => number) {
    this.#settings = settings;
    this.#timing = timing;
    this.#nowMs = nowMs;
  }

  /** Fetches the keys once, without retries. Throws ERR_OAUTH_ENDPOINT and ERR_OAUTH_CONFIG. */
  async fetch(signal: AbortSignal): Promise<SigningKeys> {
    try {
      const url = this.#settings.jwksUrl ?? (await this.#discoverOnce(signal)).keys;
      return await readKeys(url, await requestOf(this.#settings, this.#timing, signal));
    } catch (error) {
      this.#discovered = undefined;
      throw error;
    }
  }

  /**
   * Returns the introspection endpoint in the discovery document. Undefined when the document has none, or
   * when the keys have a configured address, so that no document is read. Concurrent callers share one
   * request and, for a short time, its failure. Throws like `fetch`.
   */
  async findIntrospection(signal: AbortSignal): Promise<string | undefined> {
    const { issuerUrl, jwksUrl } = this.#settings;
    if (issuerUrl === undefined || jwksUrl !== undefined) return undefined;
    if (this.#nowMs() - this.#failedAt < this.#timing.failureMs) throw this.#failure;
    try {
      return (await this.#discoverOnce(signal)).introspection;
    } catch (error) {
      this.#failedAt = this.#nowMs();
      this.#failure = error;
      throw error;
    }
  }

  /**
   * Returns whether the discovery document has a placeholder for the tenant, so that no token can name it as
   * the issuer. False for a provider that does not respond.
   */
  async isForAnyTenant(signal: AbortSignal): Promise<boolean> {
    const { issuerUrl, jwksUrl } = this.#settings;
    if (issuerUrl === undefined || jwksUrl !== undefined) return false;
    try {
      await this.#discoverOnce(signal);
      return false;
    } catch (error) {
      // Any other error is reported when the first token needs this provider.
      return error instanceof Error && 'isForAnyTenant' in error;
    }
  }

  /** Reads the discovery document. Concurrent callers share one request. */
  async #discoverOnce(signal: AbortSignal): Promise<Discovered> {
    this.#discovering ??= requestOf(this.#settings, this.#timing, signal)
      .then((request) => this.#discover(request))
      .finally(() => {
        this.#discovering = undefined;
      });
    return await this.#discovering;
  }

  async #discover(request: DocumentRequest): Promise<Discovered> {
    const now = this.#nowMs();
    const known = this.#discovered;
    if (known !== undefined && now - known.at < this.#timing.discoveryMs) return known;
    const { issuerUrl, allowInsecure } = this.#settings;
    // Without issuer and key address, every token is introspected.
    if (issuerUrl === undefined) throw new TypeError('there is no issuer for discovery');
    const { url, document } = await readDiscovery(issuerUrl, request);
    const { jwks_uri: keys, introspection_endpoint: introspection } = document;
    const problem = typeof keys === 'string' ? findUrlProblem(keys, allowInsecure) : 'is missing';
    if (typeof keys !== 'string' || problem !== undefined) {
      throw endpointUnusable(url, `has a jwks_uri that ${problem}`);
    }
    // A forbidden endpoint counts as absent, because the keys suffice without it.
    const canAsk =
      typeof introspection === 'string' && findUrlProblem(introspection, allowInsecure) === undefined;
    this.#discovered = { keys, introspection: canAsk ? introspection : undefined, at: now };
    return this.#discovered;
  }
}

/** Throws ERR_OAUTH_CONFIG. */
async function requestOf(
  { connection, allowInsecure, authToken }: ProviderSettings,
  { requestMs: timeoutMs }: Timing,
  signal: AbortSignal,
): Promise<DocumentRequest> {
  const headers: Record<string, string> =
    authToken === undefined ? {} : { authorization: `Bearer ${await authToken.readCredential()}` };
  const { fetch, fetchElsewhere } = connection;
  return { fetch, fetchElsewhere, allowInsecure, timeoutMs, signal, headers };
}

/**
 * Returns the discovery document of an issuer, and its address. Its `issuer` is verified. Throws
 * ERR_OAUTH_ENDPOINT.
 */
export async function readDiscovery(
  issuerUrl: string,
  request: DocumentRequest,
): Promise<{ readonly url: string; readonly issuer: string; readonly document: JsonObject }> {
  const url = `${trimIssuer(issuerUrl)}/.well-known/openid-configuration`;
  const document = await fetchObject(url, request);
  const { issuer } = document;
  if (namesTenantTemplate(issuer)) {
    const what = 'describes an issuer for any tenant; name the tenant in the address of the issuer';
    throw Object.assign(endpointUnusable(url, what), { isForAnyTenant: true as const });
  }
  if (typeof issuer !== 'string' || trimIssuer(issuer) !== trimIssuer(issuerUrl)) {
    throw endpointUnusable(url, 'describes another issuer than the one that is configured');
  }
  return { url, issuer, document };
}

interface Discovered {
  readonly keys: string;
  readonly introspection: string | undefined;
}

async function readKeys(url: string, request: DocumentRequest): Promise<SigningKeys> {
  try {
    return await readSigningKeys(url, async () => {
      const { keys } = await fetchObject(url, request);
      if (!Array.isArray(keys)) throw endpointUnusable(url, 'has no list of keys');
      if (keys.length > MAX_KEYS) throw endpointUnusable(url, `has more than ${MAX_KEYS} keys`);
      return { keys: keys.filter(isJsonObject) };
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause;
    throw endpointUnusable(url, `has no keys that can be used: ${String(cause)}`, cause);
  }
}

async function fetchObject(url: string, request: DocumentRequest): Promise<JsonObject> {
  const { status, document } = await fetchDocument(url, request);
  if (status !== 200) throw endpointUnusable(url, `responds with status ${status}; expected 200`);
  if (!isJsonObject(document))
    throw endpointUnusable(url, 'responds with something that is not a JSON object');
  return document;
}
