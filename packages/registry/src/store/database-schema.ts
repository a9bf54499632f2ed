import type { EntryStatus, EntryType } from '@portolan/plugin-api';
import type { Generated } from 'kysely';

/**
 * Times are ISO 8601 text in UTC with milliseconds, so that text order is time order on both engines. Flags
 * are 0 or 1. Times that only the database compares (leases) are milliseconds.
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

/** One row: the number of the last committed change, and the id of this database. */
export interface ChangeTable {
  readonly id: number;
  readonly epoch: number;
  /** Random, so that epochs of two databases never collide. */
  readonly instance: string;
}

/** A distinct claims object. Other tables refer to its id; id 1 is the empty object. */
export interface ClaimSetTable {
  readonly id: Generated<number>;
  /** JSON with sorted keys and sorted lists without duplicates. */
  readonly canonical: string;
}

export interface SourceTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly kind: string;
  readonly creation_type: 'CONFIG' | 'API';
  /** The kind's block as JSON, without secrets. */
  readonly block: string;
  readonly filter: string | null;
  readonly interval_ms: number | null;
  readonly allow_shrink: 0 | 1;
  readonly claims_from: 'source' | 'entry' | 'publisher';
  readonly claim_set_id: number;
  /** Random; changes with the definition. */
  readonly revision: string;
  /** Random; changes with what is read, the filter or the interval. */
  readonly reading: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RegistryTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly creation_type: 'CONFIG' | 'API';
  readonly claim_set_id: number;
  /** Number of the last change that readers of this registry may see. */
  readonly epoch: number;
  readonly revision: string;
  /** Claims of readers without a token. Null when the registry requires one. */
  readonly public_claim_set_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RegistrySourceTable {
  readonly registry_id: number;
  readonly source_id: number;
  readonly position: number;
}

/** An entry. All versions of an entry share its claims. */
export interface EntryTable {
  readonly id: Generated<number>;
  readonly source_id: number;
  readonly type: EntryType;
  readonly name: string;
  readonly claim_set_id: number;
  /** For managed sources, a random text that changes with the claims. Otherwise empty. */
  readonly revision: Generated<string>;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Source, type, name and claims repeat those of the entry, so that a page is one index scan. A change of
 * claims updates both tables in one transaction.
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
  /** Time of the last write by this database. */
  readonly updated_at: string;
  /** Time of the last change as another registry reports it. Replaces `updated_at` in responses. */
  readonly carried_updated_at: string | null;
  /** Whether another registry reports this version as the latest. Null when none reports anything. */
  readonly flagged_latest: 0 | 1 | null;
  /** Registries that the version passed through, comma-separated. Null for a version published here. */
  readonly origin: string | null;
  /** Sort key: its byte order is the order of versions (`versionOrderKey`). */
  readonly order_key: string;
  /** Name, title and description in lower case. */
  readonly search_text: string;
  /** SHA-256 of everything that a source can change. */
  readonly content_hash: string;
  /** The published document as JSON text. */
  readonly document: string;
  /** Part of the source that contains the version, such as a file. Null when the source has no parts. */
  readonly scope: string | null;
  /** Faults that a sync tolerates. */
  readonly warning_count: number;
}

/** Remote addresses of server versions, for the rule that no two servers share one. */
export interface ServerRemoteTable {
  readonly version_id: number;
  /** SHA-256: an address may exceed the maximum length of an index key. */
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
  /** Revision of the content that was read, in the source's own terms. `revision` names another column. */
  readonly sync_revision: string | null;
  readonly server_count: number;
  readonly skill_count: number;
  readonly plugin_count: number;
  readonly version_count: number;
  readonly skipped_count: number;
  /** The first skipped entries with reasons, as JSON (see `SkippedTally`). */
  readonly skipped: string;
  readonly warning_count: number;
  /** Process that currently reads the source. */
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
  readonly due_at_ms: number;
  /**
   * Cursor that the source returned for reading changes (`Source.readChanges`). It matches the stored
   * versions.
   */
  readonly cursor: string | null;
  /**
   * Hash of the rules of the last read. Different rules cause a full read. Null when the definition has
   * stored nothing.
   */
  readonly rules: string | null;
  /** Start of the last stored full read. */
  readonly full_read_time: string | null;
  /** Random id of a request for a full read. */
  readonly full_request: string | null;
  /** Random id of a request that permits the next sync to remove most entries. */
  readonly accept_request: string | null;
  /** Process that currently watches the source for changes. */
  readonly watch_owner: string | null;
  readonly watch_until_ms: number | null;
}

export interface BrowserSessionTable {
  /** SHA-256 of the id in the cookie. The id itself is not stored. */
  readonly id_hash: string;
  /** Tokens, encrypted with a key that is not in the database. */
  readonly sealed: string;
  readonly until_ms: number;
  readonly idle_until_ms: number;
  /** Process that currently renews the tokens. */
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
}
