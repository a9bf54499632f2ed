import type { KeyObject } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import type { Logger } from '@portolan/plugin-api';
import { keysUnavailable } from '../errors.ts';
import { keepsKeys, type SigningKeys } from './signing-key.ts';
import type { Timing } from '../timing.ts';

export interface KeySetOptions {
  /** Name of the provider in log lines. */
  readonly provider: string;
  readonly fetchKeys: (signal: AbortSignal) => Promise<SigningKeys>;
  readonly timing: Timing;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
  readonly logger: Logger;
}

interface Known {
  readonly keys: SigningKeys;
  readonly at: number;
}

/**
 * Keys are fetched when first needed, and again when they are old or a token names an unknown one; waiting
 * callers share one fetch. While the provider is unreachable, the last keys stay valid for a day.
 */
export class KeySet {
  readonly #options: KeySetOptions;
  readonly #closing = new AbortController();
  #known: Known | undefined;
  #refresh: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Time of the last fetch that was caused by an unknown `kid` and did not find that key. */
  #strangerAt = Number.NEGATIVE_INFINITY;
  #failure: { readonly cause: unknown } | undefined;
  #generation = 0;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** Number that changes when a key was withdrawn. Tokens verified before must then be verified again. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Returns the keys with this `kid` for this algorithm; none when the provider does not publish one. Throws
   * ERR_OAUTH_KEYS when that cannot be determined.
   */
  async find(kid: string, algorithm: string): Promise<readonly KeyObject[]> {
    const { timing } = this.#options;
    const age = this.#age(this.#known?.at);
    if (this.#known !== undefined && age >= timing.staleMs) this.#forget();
    if (this.#known === undefined || (age >= timing.firmMs && this.#failure === undefined)) {
      await this.#ask(timing.failureMs);
    } else if (age >= timing.freshMs) {
      void this.#ask(timing.retryMs);
    }
    const known = this.#look(kid, algorithm);
    if (known.length > 0) return known;
    if (this.#known === undefined || this.#age(this.#strangerAt) < timing.strangerMs) return this.#miss();
    const hasAsked = await this.#ask(timing.unknownKeyMs);
    const keyObjects = this.#look(kid, algorithm);
    if (keyObjects.length > 0) return keyObjects;
    if (hasAsked) this.#strangerAt = this.#options.nowMs();
    return this.#miss();
  }

  /**
   * Fetches the keys when there are none yet; after a failure, the first token causes another attempt. Never
   * rejects.
   */
  async prefetch(): Promise<void> {
    if (this.#known !== undefined) return;
    await this.#ask(this.#options.timing.failureMs);
    if (this.#known === undefined && this.#refresh === undefined) this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Aborts running requests and prevents new ones. */
  async close(): Promise<void> {
    this.#closing.abort(keysUnavailable());
    await this.#refresh;
  }

  /** Returns no keys for an unknown `kid`. Throws ERR_OAUTH_KEYS when the key may exist. */
  #miss(): readonly [] {
    // After a failed fetch, the key may have been published since.
    if (this.#known === undefined || this.#failure !== undefined) throw keysUnavailable(this.#failure?.cause);
    return [];
  }

  #look(kid: string, algorithm: string): readonly KeyObject[] {
    const signingKeys = this.#known?.keys.get(kid) ?? [];
    return signingKeys.flatMap(({ key, algorithms }) =>
      algorithms.some((name) => name === algorithm) ? [key] : [],
    );
  }

  /**
   * Fetches the keys and waits for them. Returns false when they were already requested less than `pauseMs`
   * ago. Never rejects.
   */
  async #ask(pauseMs: number): Promise<boolean> {
    if (this.#refresh === undefined) {
      if (this.#age(this.#askedAt) < pauseMs || this.#closing.signal.aborted) return false;
      this.#refresh = this.#fetch().finally(() => {
        this.#refresh = undefined;
        this.#askedAt = this.#options.nowMs();
      });
    }
    const patience = new AbortController();
    await Promise.race([
      this.#refresh,
      pass(this.#options.timing.patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    return true;
  }

  async #fetch(): Promise<void> {
    const { fetchKeys, timing } = this.#options;
    const { signal } = this.#closing;
    for (const waitMs of [...timing.backOffMs, undefined]) {
      try {
        this.#learn(await fetchKeys(signal));
        return;
      } catch (cause) {
        if (signal.aborted) return;
        this.#fail(cause);
        if (waitMs !== undefined) await pass(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Logs one warning per outage. */
  #fail(cause: unknown): void {
    const { logger, provider } = this.#options;
    const level = this.#failure === undefined ? 'warn' : 'debug';
    logger[level]({ provider, err: cause }, 'the keys of an identity provider could not be fetched');
    this.#failure = { cause };
  }

  #forget(): void {
    this.#known = undefined;
    this.#generation += 1;
  }

  #learn(keys: SigningKeys): void {
    const { logger, provider, nowMs } = this.#options;
    if (this.#known !== undefined && !keepsKeys(this.#known.keys, keys)) this.#generation += 1;
    if (this.#failure !== undefined)
      logger.info({ provider }, 'the keys of an identity provider are available again');
    this.#failure = undefined;
    this.#known = { keys, at: nowMs() };
  }

  /** Returns the time since `then` in milliseconds; infinite by default. */
  #age(then = Number.NEGATIVE_INFINITY): number {
    return this.#options.nowMs() - then;
  }
}
