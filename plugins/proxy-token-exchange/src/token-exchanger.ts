import { hash } from 'node:crypto';
import { askDocument, faultIn, reasonIn } from '@portolan/outbound';
import type { Logger } from '@portolan/plugin-api';
import { LRUCache } from 'lru-cache';
import { exchangeBusy, exchangeFailed } from './errors.ts';
import { exchangeForm } from './exchange-request.ts';
import { type ExchangedToken, readExchangeResponse } from './read-exchange-response.ts';
import type { TokenExchangeConfig } from './token-exchange-config.ts';

export interface TokenExchangerOptions {
  readonly config: TokenExchangeConfig;
  /** Header for the token endpoint. */
  readonly authorization: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Timeout of one exchange; undefined: 30 s. */
  readonly requestMs?: number;
}

interface CachedToken {
  readonly value: string;
  readonly goodUntilMs: number;
}

const REQUEST_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
const MAX_AT_ONCE = 256;
const MAX_TOKENS = 10_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Time before its expiry at which a token is replaced, in milliseconds, because requests take time. */
const LEEWAY_MS = 30_000;

/**
 * Exchanges each token once during the result's lifetime. Simultaneous callers with the same token share one
 * request. Cached by hash, limited in number and size.
 */
export class TokenExchanger {
  readonly #options: TokenExchangerOptions;
  readonly #cache = new LRUCache<string, CachedToken>({ max: MAX_TOKENS, maxSize: MAX_CHARACTERS });
  readonly #underWay = new Map<string, Promise<string>>();
  readonly #closing = new AbortController();

  constructor(options: TokenExchangerOptions) {
    this.#options = options;
  }

  /** Throws ERR_TOKEN_EXCHANGE and ERR_TOKEN_EXCHANGE_BUSY. */
  async exchange(subjectToken: string): Promise<string> {
    const key = keyOf(subjectToken);
    const stored = this.#cache.get(key);
    if (stored !== undefined && this.#options.clock().getTime() < stored.goodUntilMs) return stored.value;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    if (this.#underWay.size >= MAX_AT_ONCE) throw exchangeBusy();
    const exchange = this.#ask(key, subjectToken).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, exchange);
    return await exchange;
  }

  /** Drops a token that the server rejected. */
  forget(subjectToken: string): void {
    this.#cache.delete(keyOf(subjectToken));
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(key: string, subjectToken: string): Promise<string> {
    const { clock, logger, config } = this.#options;
    const begunMs = clock().getTime();
    const response = await this.#post(subjectToken);
    if (typeof response === 'string') {
      logger.warn({ tokenEndpoint: originOf(config.token_url), reason: response }, 'token exchange failed');
      throw exchangeFailed();
    }
    const { value, lifetimeMs } = response;
    if (lifetimeMs !== undefined) {
      const goodUntilMs = begunMs + lifetimeMs - Math.min(LEEWAY_MS, lifetimeMs / 10);
      this.#cache.set(key, { value, goodUntilMs }, { size: value.length });
    }
    return value;
  }

  async #post(subjectToken: string): Promise<ExchangedToken | string> {
    const { config, authorization, fetch, requestMs = REQUEST_MS } = this.#options;
    try {
      const { status, bytes } = await askDocument(new URL(config.token_url), {
        fetch,
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: exchangeForm(config, subjectToken),
        authorize: () => authorization,
        timeoutMs: requestMs,
        signal: this.#closing.signal,
        redirects: { max: 0, refuse: () => 'tokens go to one address alone' },
        maxBytes: MAX_BYTES,
      });
      return readExchangeResponse(status, bytes);
    } catch (error) {
      return reasonOf(error, requestMs);
    }
  }
}

function keyOf(subjectToken: string): string {
  return hash('sha256', subjectToken, 'base64url');
}

function originOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function reasonOf(error: unknown, requestMs: number): string {
  const fault = faultIn(error);
  switch (fault?.kind) {
    case 'time':
      return `it did not respond within ${requestMs / 1000} s`;
    case 'size':
      return `it responded with more than ${MAX_BYTES} bytes`;
    case 'redirect':
    case 'redirects':
      return 'it redirects, which is not followed';
    case 'address':
    case 'connection':
    case 'body':
    case undefined:
      return `the request failed: ${reasonIn(error)}`;
    default:
      return fault satisfies never;
  }
}
