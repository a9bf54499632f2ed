import { type Kysely, sql } from 'kysely';
import { syncLeaseLost } from '../errors.ts';
import type { Database, SyncStatusTable } from './database-schema.ts';
import { databaseNow, type EngineName } from './engine.ts';

/** How the last attempt to read a source went, and what is there. */
export interface SyncStatus {
  readonly source: string;
  readonly kind: string;
  readonly phase: 'complete' | 'syncing' | 'failed';
  readonly message: string;
  /** Start of a running attempt. */
  readonly lastAttempt: string | undefined;
  /** End of the most recent attempt, successful or not. */
  readonly lastSyncTime: string | undefined;
  readonly lastGoodTime: string | undefined;
  /** Failures since the last success. */
  readonly attemptCount: number;
  readonly fingerprint: string | undefined;
  readonly serverCount: number;
  readonly skillCount: number;
  readonly pluginCount: number;
  readonly skippedCount: number;
  /** The first hundred. */
  readonly skipped: readonly SkippedVersion[];
  readonly warningCount: number;
}

export interface SkippedVersion {
  readonly skipped: string;
  readonly because: string;
}

/** Most skipped entries that are kept with their reasons; all are counted. */
export const MOST_SKIPPED_KEPT = 100;

/** Status of every source, by name. */
export async function listSyncStatus(db: Kysely<Database>): Promise<readonly SyncStatus[]> {
  const rows = await db
    .selectFrom('sync_status as status')
    .innerJoin('source', 'source.id', 'status.source_id')
    .selectAll('status')
    .select(['source.name', 'source.kind'])
    .orderBy('source.name')
    .execute();
  return rows.map((row) => toSyncStatus(row, row));
}

/** A status as it is shown. */
export function toSyncStatus(
  row: Omit<SyncStatusTable, 'source_id' | 'lease_owner' | 'lease_until_ms' | 'due_at_ms'>,
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
    serverCount: row.server_count,
    skillCount: row.skill_count,
    pluginCount: row.plugin_count,
    skippedCount: row.skipped_count,
    // SAFETY: written by `recordSuccess`.
    skipped: JSON.parse(row.skipped) as SkippedVersion[],
    warningCount: row.warning_count,
  };
}

export interface StoredSyncState {
  readonly phase: 'complete' | 'syncing' | 'failed';
  readonly fingerprint: string | null;
  readonly attempt_count: number;
}

/**
 * Marks the start of an attempt; returns what was there before. Throws ERR_SYNC_LEASE_LOST when the
 * source is gone, or is read by somebody else or otherwise by now.
 */
export async function recordStart(
  db: Kysely<Database>,
  sourceId: number,
  { owner, at }: Pick<Outcome, 'owner' | 'at'>,
): Promise<StoredSyncState> {
  const before = await db
    .selectFrom('sync_status')
    .select(['phase', 'fingerprint', 'attempt_count'])
    .where('source_id', '=', sourceId)
    .executeTakeFirst();
  const begun = await db
    .updateTable('sync_status')
    .set({ phase: 'syncing', last_attempt: at })
    .where('source_id', '=', sourceId)
    .where('lease_owner', '=', owner)
    .returning('source_id')
    .execute();
  if (before === undefined || begun.length === 0) throw syncLeaseLost(String(sourceId));
  return before;
}

export interface Outcome {
  readonly owner: string;
  readonly at: string;
  readonly nextInMs: number;
}

/** Nothing new was there: the schedule moves on, the data stays. */
export async function recordUnchanged(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
): Promise<void> {
  await finish(db, engine, sourceId, outcome, {
    phase: 'complete',
    message: 'Sync completed successfully',
    attempt_count: 0,
    last_good_time: outcome.at,
  });
}

/** Part of the transaction that writes the data; throws ERR_SYNC_LEASE_LOST when another process has the source. */
export async function recordSuccess(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  result: {
    readonly fingerprint: string | undefined;
    readonly skippedCount: number;
    readonly skipped: readonly SkippedVersion[];
    readonly warningCount: number;
  },
): Promise<void> {
  await finish(db, engine, sourceId, outcome, {
    phase: 'complete',
    message: 'Sync completed successfully',
    attempt_count: 0,
    last_good_time: outcome.at,
    fingerprint: result.fingerprint ?? null,
    skipped_count: result.skippedCount,
    skipped: JSON.stringify(result.skipped),
    warning_count: result.warningCount,
    ...(await countVersions(db, sourceId)),
  });
}

/** The data stays as it was; the fingerprint too, since it belongs to the data. */
export async function recordFailure(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  failure: { readonly message: string; readonly attempts: number },
): Promise<void> {
  await finish(db, engine, sourceId, outcome, {
    phase: 'failed',
    message: failure.message,
    attempt_count: failure.attempts,
  });
}

/** How many entries of each type, and versions, a source has now. */
export async function countVersions(db: Kysely<Database>, sourceId: number) {
  const byType = await db
    .selectFrom('entry')
    .select(['type', (eb) => eb.fn.countAll<number>().as('count')])
    .where('source_id', '=', sourceId)
    .groupBy('type')
    .execute();
  const { versions } = await db
    .selectFrom('entry_version')
    .select((eb) => eb.fn.countAll<number>().as('versions'))
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow();
  const of = (type: string): number => byType.find((row) => row.type === type)?.count ?? 0;
  return {
    server_count: of('server'),
    skill_count: of('skill'),
    plugin_count: of('plugin'),
    version_count: versions,
  };
}

async function finish(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  columns: Partial<Database['sync_status']>,
): Promise<void> {
  const finished = await db
    .updateTable('sync_status')
    .set({
      ...columns,
      last_attempt: null,
      last_sync_time: outcome.at,
      lease_owner: null,
      lease_until_ms: null,
      due_at_ms: sql<number>`${databaseNow(engine)} + ${sql.lit(Math.round(outcome.nextInMs))}`,
    })
    .where('source_id', '=', sourceId)
    .where('lease_owner', '=', outcome.owner)
    .returning('source_id')
    .execute();
  if (finished.length === 0) throw syncLeaseLost(String(sourceId));
}
