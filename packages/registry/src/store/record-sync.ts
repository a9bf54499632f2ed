import { type Kysely, sql } from 'kysely';
import { syncLeaseLost } from './store-errors.ts';
import type { Database } from './database-schema.ts';
import { databaseNow, type EngineName } from './engine.ts';
import type { SkippedVersion, StoredSyncState } from './sync-status.ts';

/**
 * Returns the previous state. Throws ERR_SYNC_LEASE_LOST when the source is gone or changed, or another
 * process holds its lease.
 */
export async function recordStart(
  db: Kysely<Database>,
  sourceId: number,
  { owner, at }: Pick<Outcome, 'owner' | 'at'>,
): Promise<StoredSyncState> {
  const before = await db
    .selectFrom('sync_status')
    .innerJoin('source', 'source.id', 'sync_status.source_id')
    .innerJoin('change', (join) => join.on('change.id', '=', 1))
    .select([
      'phase',
      'fingerprint',
      'attempt_count',
      'cursor',
      'rules',
      'full_read_time',
      'full_request',
      'accept_request',
      'skipped_count',
      'skipped',
      'source.claim_set_id',
      'change.instance',
    ])
    .where('source_id', '=', sourceId)
    .executeTakeFirst();
  const started = await db
    .updateTable('sync_status')
    // A later request stays for the next attempt.
    .set((eb) => ({
      phase: 'syncing',
      last_attempt: at,
      accept_request: eb
        .case()
        .when('accept_request', '=', before?.accept_request ?? '')
        .then(null)
        .else(eb.ref('accept_request'))
        .end(),
    }))
    .where('source_id', '=', sourceId)
    .where('lease_owner', '=', owner)
    .returning('source_id')
    .execute();
  if (before === undefined || started.length === 0) throw syncLeaseLost(String(sourceId));
  return before;
}

export interface Outcome {
  readonly owner: string;
  readonly at: string;
  readonly nextInMs: number;
  /** Remark for the operator about a successful sync, as a sentence. */
  readonly remark?: string | undefined;
}

/** Records a sync that found nothing new. The stored versions stay. */
export async function recordUnchanged(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
): Promise<void> {
  await finish(db, engine, sourceId, outcome, {
    phase: 'complete',
    message: messageOf(outcome),
    attempt_count: 0,
    last_good_time: outcome.at,
  });
}

/** Result of a successful sync, without the versions that it stored. */
export interface SyncSuccess {
  readonly fingerprint: string | undefined;
  /** Cursor that the source returned. Null when it returned none. */
  readonly cursor: string | null;
  /** Revision that the source returned. Null when the source has none. Undefined keeps the previous one. */
  readonly revision: string | null | undefined;
  readonly rules: string;
  readonly skippedCount: number;
  readonly skipped: readonly SkippedVersion[];
  /** Present for a full read: its start, and the request that it fulfils. */
  readonly full: { readonly begun: string; readonly request: string | null } | undefined;
  readonly changed: boolean;
}

/** Records a successful sync. Call it in the transaction that writes the data. Throws ERR_SYNC_LEASE_LOST. */
export async function recordSuccess(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  { full, changed, ...result }: SyncSuccess,
): Promise<void> {
  if (full !== undefined && full.request !== null) {
    await db
      .updateTable('sync_status')
      .set({ full_request: null })
      .where('source_id', '=', sourceId)
      // A request that arrived during the sync stays for the next one.
      .where('full_request', '=', full.request)
      .execute();
  }
  await finish(db, engine, sourceId, outcome, {
    phase: 'complete',
    message: messageOf(outcome),
    attempt_count: 0,
    last_good_time: outcome.at,
    fingerprint: result.fingerprint ?? null,
    cursor: result.cursor,
    ...(result.revision === undefined ? {} : { sync_revision: result.revision }),
    rules: result.rules,
    skipped_count: result.skippedCount,
    skipped: JSON.stringify(result.skipped),
    ...(full === undefined ? {} : { full_read_time: full.begun }),
    ...(changed || full !== undefined ? await countVersions(db, sourceId) : {}),
  });
}

function messageOf({ remark }: Outcome): string {
  return remark === undefined ? 'Sync completed successfully' : `Sync completed successfully. ${remark}`;
}

/** Records a failed sync. The stored versions and their fingerprint stay. */
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

/** Records a held sync, which would have removed most entries. The stored versions stay. */
export async function recordUnsafeShrink(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  message: string,
): Promise<void> {
  await finish(db, engine, sourceId, outcome, { phase: 'held', message, attempt_count: 0 });
}

export async function countVersions(db: Kysely<Database>, sourceId: number) {
  const byType = await db
    .selectFrom('entry')
    .select(['type', (eb) => eb.fn.countAll<number>().as('count')])
    .where('source_id', '=', sourceId)
    .groupBy('type')
    .execute();
  const { versions, warnings } = await db
    .selectFrom('entry_version')
    .select((eb) => [
      eb.fn.countAll<number>().as('versions'),
      eb.fn.coalesce(eb.fn.sum<number>('warning_count'), sql.lit(0)).as('warnings'),
    ])
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow();
  const of = (type: string): number => byType.find((row) => row.type === type)?.count ?? 0;
  return {
    server_count: of('server'),
    skill_count: of('skill'),
    plugin_count: of('plugin'),
    version_count: versions,
    warning_count: warnings,
  };
}

async function finish(
  db: Kysely<Database>,
  engine: EngineName,
  sourceId: number,
  outcome: Outcome,
  columns: Partial<Database['sync_status']>,
): Promise<void> {
  const later = sql<number>`${databaseNow(engine)} + ${sql.lit(Math.round(outcome.nextInMs))}`;
  const finished = await db
    .updateTable('sync_status')
    .set({
      ...columns,
      last_attempt: null,
      last_sync_time: outcome.at,
      lease_owner: null,
      lease_until_ms: null,
      // A requested full read does not wait for the interval.
      due_at_ms:
        columns.phase === 'failed' || columns.phase === 'held'
          ? sql<number>`case when accept_request is null then ${later} else 0 end`
          : sql<number>`case when full_request is null and accept_request is null then ${later} else 0 end`,
    })
    .where('source_id', '=', sourceId)
    .where('lease_owner', '=', outcome.owner)
    .returning('source_id')
    .execute();
  if (finished.length === 0) throw syncLeaseLost(String(sourceId));
}
