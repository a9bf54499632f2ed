import { type Kysely, sql } from 'kysely';
import type { EngineName } from '../engine.ts';

/** Columns without a default value. */
const COLUMNS = [
  ['entry_version', 'scope', 'text'],
  ['sync_status', 'cursor', 'text'],
  ['sync_status', 'rules', 'text'],
  ['sync_status', 'full_read_time', 'text'],
  ['sync_status', 'full_request', 'text'],
  ['sync_status', 'watch_owner', 'text'],
  ['sync_status', 'watch_until_ms', 'number'],
] as const;

export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const number = engine === 'postgres' ? ('bigint' as const) : ('integer' as const);
  for (const [table, column, type] of COLUMNS) {
    await db.schema
      .alterTable(table)
      .addColumn(column, type === 'number' ? number : type)
      .execute();
  }
  await db.schema
    .alterTable('entry_version')
    .addColumn('warning_count', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('entry_version_by_scope')
    .on('entry_version')
    .columns(['source_id', 'scope'])
    .where(sql.ref('scope'), 'is not', null)
    .execute();
}

/** Versions from a part of a source stay. The next sync reads everything. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('entry_version_by_scope').execute();
  await db.schema.alterTable('entry_version').dropColumn('warning_count').execute();
  for (const [table, column] of COLUMNS.toReversed())
    await db.schema.alterTable(table).dropColumn(column).execute();
  await sql`update sync_status set fingerprint = null`.execute(db);
}
