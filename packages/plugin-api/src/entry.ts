import type { ResourceClaims } from './claims.ts';

export const ENTRY_TYPES = ['server', 'skill', 'plugin'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** `archived` is for skills and plugins that are listed only for history. `deleted` means withdrawn. */
export const ENTRY_STATUSES = ['active', 'deprecated', 'archived', 'deleted'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

/** A JSON object from an external source. */
export type JsonObject = { readonly [key: string]: unknown };

export interface Entry {
  readonly type: EntryType;
  /** `namespace/name`, for all three types. */
  readonly name: string;
  readonly version: string;
  /** Name of the source that contains it. */
  readonly source: string;
  readonly claims: ResourceClaims;
  readonly status: EntryStatus;
  readonly isLatest: boolean;
  /** The published document, unchanged. */
  readonly document: JsonObject;
}
