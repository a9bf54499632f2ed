import type { BucketSize } from './token-bucket.ts';

export interface RequestedBucket {
  /** A limit per caller has one bucket for each. */
  readonly limit: string;
  /** Owner of the bucket; empty for a bucket that all callers share. */
  readonly owner: string;
  readonly size: BucketSize;
}

export interface Buckets {
  /**
   * Takes one token from all of the buckets, or from none. Returns 0, or the milliseconds until all have a
   * token. Throws ERR_RATE_LIMIT_AWAY.
   */
  take(buckets: readonly RequestedBucket[]): number | Promise<number>;
  close?(): Promise<void>;
}
