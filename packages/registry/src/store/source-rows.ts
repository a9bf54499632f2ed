import type { Kysely } from 'kysely';
import type { Database, SourceTable } from './database-schema.ts';
import type { EngineName } from './engine.ts';
import { newRevision } from './revision.ts';

export type SourceColumns = Pick<
  SourceTable,
  | 'kind'
  | 'creation_type'
  | 'block'
  | 'filter'
  | 'interval_ms'
  | 'allow_shrink'
  | 'claims_from'
  | 'claim_set_id'
>;

/** Returns the interval as stored: whole milliseconds, at least 1. Null without an interval. */
export function storedInterval(intervalMs: number | undefined): number | null {
  return intervalMs === undefined ? null : Math.max(1, Math.round(intervalMs));
}

export type SourceRow = Omit<SourceTable, 'id'> & { readonly id: number };

/**
 * Columns of the source table. Statements list them, because `select *` changes when a newer version adds a
 * column, and PostgreSQL then rejects prepared statements.
 */
export const SOURCE_COLUMNS = [
  'source.id',
  'source.name',
  'source.kind',
  'source.creation_type',
  'source.block',
  'source.filter',
  'source.interval_ms',
  'source.allow_shrink',
  'source.claims_from',
  'source.claim_set_id',
  'source.revision',
  'source.reading',
  'source.created_at',
  'source.updated_at',
] as const satisfies readonly `source.${keyof SourceTable}`[];

/**
 * Identifies the definition that a sync started with. If the definition has changed since, the sync writes
 * nothing.
 */
export type StoredDefinition = Pick<SourceRow, 'id' | 'reading'>;

/**
 * Waits for a running sync. Acquire it before changing any of the sources' rows: the holder of the lock on
 * table `change` must not wait for a sync, which acquires that lock last.
 */
export async function lockSources(
  db: Kysely<Database>,
  engine: EngineName,
  ids: readonly number[],
): Promise<void> {
  if (engine !== 'postgres' || ids.length === 0) return;
  await db.selectFrom('source').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

export async function insertSource(
  db: Kysely<Database>,
  name: string,
  columns: SourceColumns,
  now: string,
): Promise<StoredDefinition> {
  const reading = newRevision();
  const marks = { revision: newRevision(), reading, created_at: now, updated_at: now };
  const { id } = await db
    .insertInto('source')
    .values({ ...columns, name, ...marks })
    .returning('id')
    .executeTakeFirstOrThrow();
  const synced = columns.claims_from === 'source';
  await db
    .insertInto('sync_status')
    .values({
      source_id: id,
      phase: synced ? 'failed' : 'complete',
      message: synced ? 'No previous sync status found' : `Non-synced source (type: ${columns.kind})`,
      attempt_count: 0,
      server_count: 0,
      skill_count: 0,
      plugin_count: 0,
      version_count: 0,
      skipped_count: 0,
      skipped: '[]',
      warning_count: 0,
      due_at_ms: 0,
    })
    .execute();
  return { id, reading };
}

/**
 * Makes the source due at once when content or interval changes; a sync of the old definition then writes
 * nothing, and the next read does not count as unchanged.
 */
export async function updateSource(
  db: Kysely<Database>,
  before: SourceRow,
  columns: SourceColumns,
  now: string,
): Promise<StoredDefinition> {
  const { kind, block, filter, interval_ms, allow_shrink } = columns;
  const readsOther = differs(before, { kind, block, filter });
  const isRead = readsOther || differs(before, { interval_ms, allow_shrink });
  const reading = isRead ? newRevision() : before.reading;
  await db
    .updateTable('source')
    .set({ ...columns, revision: newRevision(), reading, updated_at: now })
    .where('id', '=', before.id)
    .execute();
  if (!isRead) return before;
  await db
    .updateTable('sync_status')
    .set({
      due_at_ms: 0,
      lease_owner: null,
      lease_until_ms: null,
      ...(readsOther ? { fingerprint: null, cursor: null, rules: null } : {}),
    })
    .where('source_id', '=', before.id)
    .execute();
  return { id: before.id, reading };
}

export async function hasOtherClaims(
  db: Kysely<Database>,
  sourceId: number,
  claimSet: number,
): Promise<boolean> {
  const other = await db
    .selectFrom('entry')
    .select('id')
    .where('source_id', '=', sourceId)
    .where('claim_set_id', '<>', claimSet)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export async function relabelEntries(
  db: Kysely<Database>,
  sourceId: number,
  claimSet: number,
  now: string,
): Promise<void> {
  for (const table of ['entry', 'entry_version'] as const) {
    await db
      .updateTable(table)
      .set({ claim_set_id: claimSet, updated_at: now })
      .where('source_id', '=', sourceId)
      .where('claim_set_id', '<>', claimSet)
      .execute();
  }
}

export function differs<T extends object>(before: T, columns: Partial<T>): boolean {
  return Object.entries(columns).some(([name, value]) => before[name as keyof T] !== value);
}
