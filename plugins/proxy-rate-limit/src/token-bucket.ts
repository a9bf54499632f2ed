/** Size of a bucket. Times are whole microseconds, so that sums are exact. */
export interface BucketSize {
  /** Refill time of one token. */
  readonly tokenUs: number;
  /** Refill time of all tokens. */
  readonly fullUs: number;
}

/** Returns a bucket of `maxTokens` that refills in `refillMs`. Rounds so that it never refills faster. */
export function bucketSize(maxTokens: number, refillMs: number): BucketSize {
  const tokenUs = Math.max(1, Math.ceil((refillMs * 1000) / maxTokens));
  return { tokenUs, fullUs: tokenUs * maxTokens };
}

/**
 * Returns the time at which the bucket is full again after taking a token; this is the stored value. A
 * missing bucket is full.
 */
export function fullAtAfterTaking(
  fullAtUs: number | undefined,
  nowUs: number,
  { tokenUs }: BucketSize,
): number {
  return Math.max(fullAtUs ?? nowUs, nowUs) + tokenUs;
}

/**
 * Returns the time until a token is available; 0 if there is one. `fullAtUs` is the value after taking it.
 */
export function missingUs(fullAtUs: number, nowUs: number, { fullUs }: BucketSize): number {
  return Math.max(0, fullAtUs - nowUs - fullUs);
}
