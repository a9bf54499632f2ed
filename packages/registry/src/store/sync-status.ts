import type { Kysely } from 'kysely';
import type { Database, SyncStatusTable } from './database-schema.ts';

export interface SyncStatus {
  readonly source: string;
  readonly kind: string;
  readonly phase: SyncStatusTable['phase'];
  readonly message: string;
  /** Start of the running attempt. */
  readonly lastAttempt: string | undefined;
  /** End of the most recent attempt, successful or not. */
  readonly lastSyncTime: string | undefined;
  readonly lastGoodTime: string | undefined;
  /** Number of failures since the last success. */
  readonly attemptCount: number;
  readonly fingerprint: string | undefined;
  /** Revision of the content that was read, in the source's own terms. */
  readonly revision: string | undefined;
  readonly serverCount: number;
  readonly skillCount: number;
  readonly pluginCount: number;
  readonly skippedCount: number;
  /** The first hundred skipped versions. */
  readonly skipped: readonly SkippedVersion[];
  readonly warningCount: number;
  /** The first hundred warnings. Present only when a single source is requested. */
  readonly warnings?: readonly EntryWarning[];
}

export interface EntryWarning {
  readonly entry: string;
  readonly warning: string;
}

export interface SkippedVersion {
  readonly skipped: string;
  readonly because: string;
}

/** Maximum number of skipped entries that are returned with reasons. The count includes all. */
const MAX_SKIPPED_SHOWN = 100;

/** Columns of the table `sync_status`, with the alias `status`, that a status contains. */
export const STATUS_COLUMNS = [
  'status.phase',
  'status.message',
  'status.last_attempt',
  'status.last_sync_time',
  'status.last_good_time',
  'status.attempt_count',
  'status.fingerprint',
  'status.sync_revision',
  'status.server_count',
  'status.skill_count',
  'status.plugin_count',
  'status.skipped_count',
  'status.skipped',
  'status.warning_count',
] as const satisfies readonly `status.${keyof SyncStatusTable}`[];

export async function listSyncStatus(db: Kysely<Database>): Promise<readonly SyncStatus[]> {
  const rows = await db
    .selectFrom('sync_status as status')
    .innerJoin('source', 'source.id', 'status.source_id')
    .select([...STATUS_COLUMNS, 'source.name', 'source.kind'])
    .orderBy('source.name')
    .execute();
  return rows.map((row) => toSyncStatus(row, row));
}

export function toSyncStatus(
  row: Pick<
    SyncStatusTable,
    | 'phase'
    | 'message'
    | 'last_attempt'
    | 'last_sync_time'
    | 'last_good_time'
    | 'attempt_count'
    | 'fingerprint'
    | 'sync_revision'
    | 'server_count'
    | 'skill_count'
    | 'plugin_count'
    | 'skipped_count'
    | 'skipped'
    | 'warning_count'
  >,
  source: { readonly name: string; readonly kind: string },
): SyncStatus {
  return {
    source: source.name,
    kind: source.kind,
    phase: row.phase,
    message: row.message,
    lastAttempt: row.last_attempt ?? undefined,
    lastSyncTime: row.last_sync_time ?? undefined,
    lastGoodTime: row.last_good_time ?? undefined,
    attemptCount: row.attempt_count,
    fingerprint: row.fingerprint ?? undefined,
    revision: row.sync_revision ?? undefined,
    serverCount: row.server_count,
    skillCount: row.skill_count,
    pluginCount: row.plugin_count,
    skippedCount: row.skipped_count,
    skipped: parseSkipped(row.skipped)
      .slice(0, MAX_SKIPPED_SHOWN)
      .map(({ skipped, because }) => ({ skipped, because })),
    warningCount: row.warning_count,
  };
}

/** Parses stored skips, with fields that the API does not show. */
export function parseSkipped(text: string): readonly SkippedVersion[] {
  // SAFETY: only `recordSuccess` writes it.
  return JSON.parse(text) as SkippedVersion[];
}

/** Stored state of a source at the start of an attempt. */
export type StoredSyncState = Pick<
  SyncStatusTable,
  | 'phase'
  | 'fingerprint'
  | 'attempt_count'
  | 'cursor'
  | 'rules'
  | 'full_read_time'
  | 'full_request'
  | 'accept_request'
  | 'skipped_count'
  | 'skipped'
> & { readonly claim_set_id: number; readonly instance: string };
