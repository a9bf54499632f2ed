/** A bucket, with times in whole microseconds, whose sums are exact. */
export interface BucketSize {
  /** Time in which one token is refilled. */
  readonly tokenUs: number;
  /** Time in which all tokens are refilled. */
  readonly fullUs: number;
}

/**
 * Returns a bucket of `maxTokens` that is refilled in `refillMs`. Rounded so that never more tokens are
 * refilled than that.
 */
export function bucketSize(maxTokens: number, refillMs: number): BucketSize {
  const tokenUs = Math.max(1, Math.ceil((refillMs * 1000) / maxTokens));
  return { tokenUs, fullUs: tokenUs * maxTokens };
}

/**
 * Returns the stored number of a bucket: the time at which it is full again; now or earlier for a full one.
 * An unknown bucket is full.
 */
export function fullAtAfterTaking(
  fullAtUs: number | undefined,
  nowUs: number,
  { tokenUs }: BucketSize,
): number {
  return Math.max(fullAtUs ?? nowUs, nowUs) + tokenUs;
}

/**
 * Returns the time until a token is available; 0 when there is one. `fullAtUs` is the value after taking it.
 */
export function missingUs(fullAtUs: number, nowUs: number, { fullUs }: BucketSize): number {
  return Math.max(0, fullAtUs - nowUs - fullUs);
}
