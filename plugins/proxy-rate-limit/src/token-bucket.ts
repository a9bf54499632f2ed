/** Size of a bucket, in whole microseconds so that sums are exact. */
export interface BucketSize {
  readonly tokenUs: number;
  readonly fullUs: number;
}

/** Returns the size of a bucket. Rounds so that it never refills faster than `maxTokens` in `refillMs`. */
export function bucketSize(maxTokens: number, refillMs: number): BucketSize {
  const tokenUs = Math.max(1, Math.ceil((refillMs * 1000) / maxTokens));
  return { tokenUs, fullUs: tokenUs * maxTokens };
}

/**
 * Returns the value to store for a bucket after taking a token: the time at which it is full again. A missing
 * bucket is full.
 */
export function fullAtAfterTaking(
  fullAtUs: number | undefined,
  nowUs: number,
  { tokenUs }: BucketSize,
): number {
  return Math.max(fullAtUs ?? nowUs, nowUs) + tokenUs;
}

/**
 * Returns the microseconds until a token is available, 0 if it is. `fullAtUs` is the value after taking it.
 */
export function missingUs(fullAtUs: number, nowUs: number, { fullUs }: BucketSize): number {
  return Math.max(0, fullAtUs - nowUs - fullUs);
}
