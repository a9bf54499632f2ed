/** Revisions with a handshake, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** The one revision with batches. */
export const BATCHES_IN = '2025-03-26';

/** Revisions in which each request describes itself, oldest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

/** What the proxy itself speaks, where it is the client. */
export const NEWEST_LEGACY: string = LEGACY_REVISIONS[LEGACY_REVISIONS.length - 1] ?? '';
export const NEWEST_MODERN: string = MODERN_REVISIONS[MODERN_REVISIONS.length - 1] ?? '';

/** The first revision without a handshake; revisions are dates, so their order is that of their texts. */
const FIRST_MODERN = '2026-07-28';

/** Whether a version is a date at or after the first Modern revision, known or not. */
export function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN;
}

export function isLegacyRevision(version: string): boolean {
  return LEGACY_REVISIONS.some((revision) => revision === version);
}

/** Whether clients pass over an event without data, so that a stream may begin with one to resume from. */
export function hasEmptyEvents(revision: string): boolean {
  return revision >= '2025-11-25';
}
