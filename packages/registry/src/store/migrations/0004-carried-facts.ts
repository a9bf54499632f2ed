import { type Kysely, sql } from 'kysely';
import type { EngineName } from '../engine.ts';

const COLUMNS = [
  ['carried_updated_at', 'text'],
  ['flagged_latest', 'integer'],
  ['origin', 'text'],
] as const;

export async function up(db: Kysely<unknown>, _engine: EngineName): Promise<void> {
  for (const [column, type] of COLUMNS)
    await db.schema.alterTable('entry_version').addColumn(column, type).execute();
}

/**
 * Removes the columns. Affected versions then show this registry's own times, and count as changed at the
 * next read.
 */
export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`update entry_version set content_hash = ''
    where carried_updated_at is not null or origin is not null`.execute(db);
  for (const [column] of COLUMNS.toReversed())
    await db.schema.alterTable('entry_version').dropColumn(column).execute();
  await sql`update sync_status set fingerprint = null, cursor = null`.execute(db);
}
