/** A bucket, with times in whole microseconds: sums of them are exact. */
export interface BucketSize {
  /** In which time one token comes back. */
  readonly tokenUs: number;
  /** In which time all of them do. */
  readonly fullUs: number;
}

/** A bucket of so many tokens that is filled in so many milliseconds. Rounded so that never more tokens come than that. */
export function bucketSize(maxTokens: number, refillMs: number): BucketSize {
  const tokenUs = Math.max(1, Math.ceil((refillMs * 1000) / maxTokens));
  return { tokenUs, fullUs: tokenUs * maxTokens };
}

/**
 * The one number that is kept of a bucket: the moment at which it is full again,
 * which is now or before for one that is full. A bucket of which nothing is known is full.
 */
export function fullAtAfterTaking(
  fullAtUs: number | undefined,
  nowUs: number,
  { tokenUs }: BucketSize,
): number {
  return Math.max(fullAtUs ?? nowUs, nowUs) + tokenUs;
}

/** How long it takes until there is a token; 0 where there is one. `fullAtUs` is that after taking it. */
export function missingUs(fullAtUs: number, nowUs: number, { fullUs }: BucketSize): number {
  return Math.max(0, fullAtUs - nowUs - fullUs);
}
