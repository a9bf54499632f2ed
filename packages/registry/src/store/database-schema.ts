import type { EntryStatus, EntryType } from '@portolan/plugin-api';
import type { Generated } from 'kysely';

/**
 * The tables. Times are ISO 8601 text in UTC with milliseconds, so that text
 * order is time order on both engines; flags are 0 or 1, which both engines
 * have. Instants that only the database compares (leases) are milliseconds.
 */
export interface Database {
  readonly change: ChangeTable;
  readonly claim_set: ClaimSetTable;
  readonly source: SourceTable;
  readonly registry: RegistryTable;
  readonly registry_source: RegistrySourceTable;
  readonly entry: EntryTable;
  readonly entry_version: EntryVersionTable;
  readonly server_remote: ServerRemoteTable;
  readonly sync_status: SyncStatusTable;
  readonly browser_session: BrowserSessionTable;
}

/** One row: the number of the last committed change, and which database this is. */
export interface ChangeTable {
  readonly id: number;
  readonly epoch: number;
  /** Random, made with the database: epochs of two databases never look alike. */
  readonly instance: string;
}

/** A visibility class: one distinct claims object. Id 1 is the empty one. */
export interface ClaimSetTable {
  readonly id: Generated<number>;
  /** JSON with sorted keys and sorted lists without duplicates: equal claims have equal text. */
  readonly canonical: string;
}

export interface SourceTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly kind: string;
  readonly creation_type: 'CONFIG' | 'API';
  /** The kind's block, as JSON, secrets left out. */
  readonly block: string;
  readonly filter: string | null;
  readonly interval_ms: number | null;
  /** `syncPolicy.allowShrink`. */
  readonly allow_shrink: 0 | 1;
  readonly claims_from: 'source' | 'entry' | 'publisher';
  readonly claim_set_id: number;
  /** Random; another one after every change of the definition. */
  readonly revision: string;
  /** Random; another one after every change of what is read, of the filter or of the interval. */
  readonly reading: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RegistryTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly creation_type: 'CONFIG' | 'API';
  readonly claim_set_id: number;
  /** Number of the last change that anything read from this registry may show. */
  readonly epoch: number;
  /** Random; another one after every change of the definition. */
  readonly revision: string;
  /** What a reader without a token counts as holding; null where it needs one. */
  readonly public_claim_set_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RegistrySourceTable {
  readonly registry_id: number;
  readonly source_id: number;
  readonly position: number;
}

/** One name of one type in one source; holds the claims of all its versions. */
export interface EntryTable {
  readonly id: Generated<number>;
  readonly source_id: number;
  readonly type: EntryType;
  readonly name: string;
  readonly claim_set_id: number;
  /** In managed sources random, another one after every change of the claims; empty in others. */
  readonly revision: Generated<string>;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * One version. Source, type, name and claims repeat those of the entry, so that
 * a page is one ordered walk over one index; whatever changes an entry's claims
 * changes both in one transaction.
 */
export interface EntryVersionTable {
  readonly id: Generated<number>;
  readonly entry_id: number;
  readonly source_id: number;
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly claim_set_id: number;
  readonly is_latest: 0 | 1;
  readonly status: EntryStatus;
  readonly status_message: string | null;
  readonly status_changed_at: string;
  readonly published_at: string;
  /** When the row was last written here. */
  readonly updated_at: string;
  /** What another registry says of its last change: shown instead of `updated_at`, and nothing else. */
  readonly carried_updated_at: string | null;
  /** Whether another registry says that it is the latest; null where none says anything. */
  readonly flagged_latest: 0 | 1 | null;
  /** Marks of the registries that it came through, with commas between them; null: it was made here. */
  readonly origin: string | null;
  /** Byte order of this text is the order of versions (`versionOrderKey`). */
  readonly order_key: string;
  /** Name, title and description in lower case: what a search looks into. */
  readonly search_text: string;
  /** SHA-256 of what a source can change, to tell an unchanged version from a changed one. */
  readonly content_hash: string;
  /** The document as JSON text, as published. */
  readonly document: string;
  /** The part of a synced source that it came from; null where the source has no parts. */
  readonly scope: string | null;
  /** Faults of the document that a sync lets pass. */
  readonly warning_count: number;
}

/** Which addresses a version of a server is reached at, for the rule that no two servers share one. */
export interface ServerRemoteTable {
  readonly version_id: number;
  /** SHA-256 of the address, which may be longer than an index takes. */
  readonly url_hash: string;
}

export interface SyncStatusTable {
  readonly source_id: number;
  readonly phase: 'complete' | 'syncing' | 'failed' | 'held';
  readonly message: string;
  readonly attempt_count: number;
  readonly last_attempt: string | null;
  readonly last_sync_time: string | null;
  readonly last_good_time: string | null;
  readonly fingerprint: string | null;
  /** What was read, as its place calls it. Not `revision`: the row of a source has one. */
  readonly sync_revision: string | null;
  readonly server_count: number;
  readonly skill_count: number;
  readonly plugin_count: number;
  readonly version_count: number;
  readonly skipped_count: number;
  /** The first skipped entries with reasons (`SkippedTally`), as JSON. */
  readonly skipped: string;
  readonly warning_count: number;
  /** Which process is reading the source, and until when that may be believed. */
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
  readonly due_at_ms: number;
  /** What the source yielded to go on from (`Source.readChanges`); it belongs to the stored versions. */
  readonly cursor: string | null;
  /**
   * By which rules the stored versions were read, as a hash: where they are others, everything is read
   * again. null: nothing was stored by the definition of now.
   */
  readonly rules: string | null;
  /** Start of the last full read that was stored. */
  readonly full_read_time: string | null;
  /** Random; somebody asked for a full read. */
  readonly full_request: string | null;
  /** Random; the next sync may take most entries away. */
  readonly accept_request: string | null;
  /** Which process watches the source, and until when that may be believed. */
  readonly watch_owner: string | null;
  readonly watch_until_ms: number | null;
}

/** A browser in which somebody is logged in. */
export interface BrowserSessionTable {
  /** SHA-256 of the id in the browser's cookie, which stands nowhere here. */
  readonly id_hash: string;
  /** The tokens, encrypted with a key that is not in the database. */
  readonly sealed: string;
  readonly until_ms: number;
  readonly idle_until_ms: number;
  /** Who is renewing the tokens, and until when that may be believed. */
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
}
