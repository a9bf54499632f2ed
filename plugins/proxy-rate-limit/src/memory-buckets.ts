import { LRUCache } from 'lru-cache';
import type { RequestedBucket, Buckets } from './buckets.ts';
import { fullAtAfterTaking, missingUs } from './token-bucket.ts';

/** Maximum number of buckets that are not full, over all limits. Each takes about 120 bytes. */
const MAX_BUCKETS = 100_000;
const FEWEST_OF_ONE = 1000;

/**
 * Buckets in memory. Drops full buckets, because a missing bucket counts as full. Evicts the least recently
 * used above the maximum.
 */
export class MemoryBuckets implements Buckets {
  readonly #nowMs: () => number;
  readonly #max: number;
  /** Times at which buckets are full again, by limit and owner. */
  readonly #limits = new Map<string, LRUCache<string, number>>();

  /** `nowMs` is a monotonic clock; `limits` is the number of limits. */
  constructor(nowMs: () => number, limits: number, most: number = MAX_BUCKETS) {
    this.#nowMs = nowMs;
    this.#max = Math.max(FEWEST_OF_ONE, Math.floor(most / Math.max(1, limits)));
  }

  get size(): number {
    return [...this.#limits.values()].reduce((sum, { size }) => sum + size, 0);
  }

  take(buckets: readonly RequestedBucket[]): number {
    const nowUs = Math.floor(this.#nowMs() * 1000);
    let waitUs = 0;
    const after = buckets.map(({ limit, owner, size }) => {
      const fullAt = fullAtAfterTaking(this.#limits.get(limit)?.peek(owner), nowUs, size);
      waitUs = Math.max(waitUs, missingUs(fullAt, nowUs, size));
      return { limit, owner, fullAt };
    });
    if (waitUs > 0) return waitUs / 1000;
    for (const { limit, owner, fullAt } of after) this.#keep(limit, owner, fullAt, nowUs);
    return 0;
  }

  #keep(limit: string, owner: string, fullAt: number, nowUs: number): void {
    const lruCache = this.#limits.get(limit) ?? new LRUCache({ max: owner === '' ? 1 : this.#max });
    this.#limits.set(limit, lruCache);
    for (let oldest = oldestOf(lruCache); oldest !== undefined; oldest = oldestOf(lruCache)) {
      if ((lruCache.peek(oldest) ?? 0) > nowUs) break;
      lruCache.delete(oldest);
    }
    lruCache.set(owner, fullAt);
  }
}

function oldestOf(lruCache: LRUCache<string, number>): string | undefined {
  const { value } = lruCache.rkeys().next();
  return value ?? undefined;
}
