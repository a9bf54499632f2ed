/** Revisions with a handshake, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Only revision with batches. */
export const BATCHES_IN = '2025-03-26';

/** Revisions without a handshake, named in each request, oldest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

/** Revision for requests of the proxy itself. */
export const NEWEST_LEGACY: string = LEGACY_REVISIONS[LEGACY_REVISIONS.length - 1] ?? '';
export const NEWEST_MODERN: string = MODERN_REVISIONS[MODERN_REVISIONS.length - 1] ?? '';

/** Revisions are dates, so they are compared as texts. */
const FIRST_MODERN = '2026-07-28';

/** Includes unknown revisions from the first Modern one on. */
export function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN;
}

export function isLegacyRevision(version: string): boolean {
  return LEGACY_REVISIONS.some((revision) => revision === version);
}

/**
 * Returns whether clients ignore an event without data, so that a stream may begin with one for resumption.
 */
export function hasEmptyEvents(revision: string): boolean {
  return revision >= '2025-11-25';
}
