/** Revisions with a handshake, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Only revision with batches. */
export const BATCHES_IN = '2025-03-26';

/** Revisions without a handshake, named in each request, oldest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

/** Newest revision with a handshake, which the proxy's own requests use. */
export const NEWEST_LEGACY: string = LEGACY_REVISIONS[LEGACY_REVISIONS.length - 1] ?? '';
export const NEWEST_MODERN: string = MODERN_REVISIONS[MODERN_REVISIONS.length - 1] ?? '';

/** First revision without a handshake. Revisions are dates, so text comparison orders them. */
const FIRST_MODERN = '2026-07-28';

/** Returns whether a revision has no handshake. Unknown revisions from 2026-07-28 on count as well. */
export function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN;
}

export function isLegacyRevision(version: string): boolean {
  return LEGACY_REVISIONS.some((revision) => revision === version);
}

/**
 * Returns whether clients of a revision ignore an event without data. A stream for such clients may begin
 * with one, from which they can resume.
 */
export function hasEmptyEvents(revision: string): boolean {
  return revision >= '2025-11-25';
}
