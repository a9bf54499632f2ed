import type { Identity } from '@portolan/plugin-api';
import { LRUCache } from 'lru-cache';
import type { Provider } from '../provider.ts';
import type { Verdict } from './verdict.ts';

interface Remembered {
  readonly provider: Provider;
  readonly generation: number;
  readonly identity: Identity;
  readonly claimsMayChange: boolean;
  readonly sinceMs: number;
  readonly goodUntilMs: number;
}

const MAX_TOKENS = 10_000;

/** Maximum number of characters of the cached tokens. The cached data takes several times as much memory. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Caches by SHA-256, so that the next request with the same token gets the same identity object. Limited in
 * number and size; the oldest are removed first.
 */
export class TokenMemory {
  readonly #clock: () => Date;
  readonly #tokens = new LRUCache<string, Remembered>({ max: MAX_TOKENS, maxSize: MAX_CHARACTERS });

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  find(digest: string): Identity | undefined {
    const known = this.#tokens.get(digest);
    if (known === undefined) return undefined;
    const now = this.#clock().getTime();
    const good =
      known.generation === known.provider.generation && now >= known.sinceMs && now < known.goodUntilMs;
    return good ? known.identity : undefined;
  }

  /**
   * Caches an identity if it is still valid, and returns it. `generation` is the value of
   * `Provider.generation` before the verification began.
   */
  remember(
    { digest, size }: { readonly digest: string; readonly size: number },
    provider: Provider,
    generation: number,
    verdict: Verdict & { readonly outcome: 'accepted' },
  ): Identity {
    const { claimsMayChange, goodUntilMs } = verdict;
    const before = this.#tokens.get(digest);
    const same = before?.provider === provider && !before.claimsMayChange && !claimsMayChange;
    const identity = same ? before.identity : verdict.identity;
    const sinceMs = this.#clock().getTime();
    const entry = { provider, generation, identity, claimsMayChange, sinceMs, goodUntilMs };
    this.#tokens.set(digest, entry, { size });
    return identity;
  }
}
