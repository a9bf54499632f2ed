import type { BucketSize } from './token-bucket.ts';

/** One bucket out of which a call needs a token. */
export interface AskedBucket {
  /** Which limit it is of; a limit for each caller has a bucket for each. */
  readonly limit: string;
  /** Whose it is; empty for a bucket of all. */
  readonly owner: string;
  readonly size: BucketSize;
}

/** Where buckets are kept. */
export interface Buckets {
  /**
   * Takes a token out of each of them, or none out of any: then it says how long
   * it takes until all of them have one, in milliseconds. 0: taken. Throws
   * ERR_RATE_LIMIT_AWAY where nobody can say.
   */
  take(asked: readonly AskedBucket[]): number | Promise<number>;
  close?(): Promise<void>;
}
