import type { BucketSize } from './token-bucket.ts';

/** Bucket that a call takes a token from. */
export interface AskedBucket {
  /** Name of the limit. A limit per caller has one bucket for each. */
  readonly limit: string;
  /** Caller that the bucket belongs to; empty for a shared bucket. */
  readonly owner: string;
  readonly size: BucketSize;
}

/** Store of token buckets. */
export interface Buckets {
  /**
   * Takes one token from all of the buckets, or from none. Returns 0, or the time in milliseconds until all
   * have a token. Throws ERR_RATE_LIMIT_AWAY if the store is unavailable.
   */
  take(asked: readonly AskedBucket[]): number | Promise<number>;
  close?(): Promise<void>;
}
