/** Legacy protocol revisions, which have a handshake, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Only protocol revision with batches. */
export const BATCHES_IN = '2025-03-26';

/** Modern protocol revisions, in which each request names its revision, oldest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

/** Revision for requests of the proxy itself. */
export const NEWEST_LEGACY: string = LEGACY_REVISIONS[LEGACY_REVISIONS.length - 1] ?? '';
export const NEWEST_MODERN: string = MODERN_REVISIONS[MODERN_REVISIONS.length - 1] ?? '';

/** First revision without a handshake. Revisions are dates, so they are compared as texts. */
const FIRST_MODERN = '2026-07-28';

/** Returns whether a version is a date at or after the first Modern revision, even an unknown one. */
export function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN;
}

export function isLegacyRevision(version: string): boolean {
  return LEGACY_REVISIONS.some((revision) => revision === version);
}

/**
 * Returns whether clients of a revision ignore an event without data, so that a stream may begin with one for
 * resumption.
 */
export function hasEmptyEvents(revision: string): boolean {
  return revision >= '2025-11-25';
}
