import { askDocument, type DocumentResponse, faultIn } from '@portolan/outbound';
import type { ConnectionContext } from '../connection/connection-context.ts';
import {
  registryAddressPrivate,
  registryAddressUnusable,
  registryAnswerTooLarge,
  registryAnswerUnusable,
  registryTimedOut,
  registryUnreachable,
} from './lookup-errors.ts';
import { OwnFetch } from '../connection/own-fetch.ts';
import { askWithAccess, type RegistryAccess } from '../connection/registry-access.ts';
import type { AddressRules } from './registry-address.ts';

export interface RegistryReply {
  readonly status: number;
  /** Media type in lower case without parameters. Empty without the header. */
  readonly contentType: string;
  readonly body: Buffer;
}

export interface ReplyLimits {
  /** Milliseconds for one response with its body. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

export const PAGE_LIMITS: ReplyLimits = { timeoutMs: 10_000, bytes: 10 * 1024 * 1024 };
export const FILE_LIMITS: ReplyLimits = { timeoutMs: 60_000, bytes: 64 * 1024 * 1024 };

const MAX_REDIRECTS = 5;

/**
 * HTTP connection to one registry. Private addresses are refused on connection unless allowed. Redirects
 * follow the same rules, never lead from https to http, and never send the token to another origin.
 */
export class RegistryConnection {
  readonly #fetch: OwnFetch;
  /** Separate `fetch` for redirects to another origin. It does not reach loopback addresses. */
  readonly #fetchElsewhere: OwnFetch;
  readonly #userAgent: string;
  readonly #rules: AddressRules;
  readonly #access: RegistryAccess;

  constructor(
    { openFetch, environment, version }: ConnectionContext,
    { access, ...rules }: AddressRules & { readonly access: RegistryAccess },
  ) {
    this.#fetch = new OwnFetch(() => openFetch({ allowPrivateAddresses: rules.allowPrivate, environment }));
    this.#fetchElsewhere = new OwnFetch(() =>
      openFetch({ allowPrivateAddresses: rules.allowPrivate, loopbackFor: [], environment }),
    );
    this.#userAgent = `portolan/${version}`;
    this.#rules = rules;
    this.#access = access;
  }

  get access(): Pick<RegistryAccess, 'from' | 'expiresAt'> {
    return this.#access;
  }

  /**
   * Returns a response of any status. Throws ERR_REGISTRY_UNREACHABLE, ERR_REGISTRY_TIMEOUT,
   * ERR_LOOKUP_PRIVATE_ADDRESS, ERR_LOOKUP_ADDRESS for a refused redirect, ERR_LOOKUP_TOO_LARGE, errors of
   * getting a token, and the reason of the signal.
   */
  async get(url: URL, limits: ReplyLimits, signal?: AbortSignal): Promise<RegistryReply> {
    signal?.throwIfAborted();
    const fetch = await this.#fetch.get();
    const fetchElsewhere = await this.#fetchElsewhere.get();
    try {
      const ask = (token: string | undefined): Promise<DocumentResponse> =>
        askDocument(url, {
          fetch,
          fetchElsewhere,
          headers: { Accept: 'application/json', 'User-Agent': this.#userAgent },
          authorize: () => (token === undefined ? undefined : `Bearer ${token}`),
          redirects: { max: MAX_REDIRECTS, refuse: (from, to) => this.#refuse(from, to) },
          timeoutMs: limits.timeoutMs,
          maxBytes: limits.bytes,
          signal,
        });
      const { status, type, bytes } = await askWithAccess(this.#access, ask);
      return { status, contentType: type, body: bytes };
    } catch (error) {
      signal?.throwIfAborted();
      throw translate(url, limits, error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#fetch.close(), this.#fetchElsewhere.close()]);
  }

  #refuse(from: URL, to: URL): string | undefined {
    if (to.protocol === 'https:') return undefined;
    if (to.protocol === 'http:' && from.protocol === 'http:' && this.#rules.allowHttp) return undefined;
    return `it redirects to ${to.protocol}//${to.host}, expected https:`;
  }
}

/** Returns a URL for messages. Omits the query, which may contain a key. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function translate(url: URL, { timeoutMs, bytes }: ReplyLimits, error: unknown): unknown {
  const fault = faultIn(error);
  switch (fault?.kind) {
    case undefined:
      return error;
    case 'time':
      return registryTimedOut(shown(url), timeoutMs / 1000);
    case 'size':
      return registryAnswerTooLarge(shown(url), `${bytes / 1024 / 1024} MiB`);
    case 'address':
      return registryAddressPrivate(shown(url), fault.redirected, fault.cause);
    case 'redirects':
      return registryAnswerUnusable(shown(url), `it redirects more than ${MAX_REDIRECTS} times`);
    case 'redirect':
      if (fault.to === undefined)
        return registryAnswerUnusable(shown(fault.from), 'a redirect that leads nowhere');
      return registryAddressUnusable(shown(fault.from), fault.because, REDIRECTED);
    case 'connection':
    case 'body':
      return registryUnreachable(shown(url), error);
    default:
      return fault satisfies undefined;
  }
}

const REDIRECTED = 'Name the address that it redirects to, when that is the registry.';
