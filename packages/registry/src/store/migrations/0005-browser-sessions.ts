import type { Kysely } from 'kysely';
import type { EngineName } from '../engine.ts';

export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const number = engine === 'postgres' ? ('bigint' as const) : ('integer' as const);
  await db.schema
    .createTable('browser_session')
    .addColumn('id_hash', 'text', (column) => column.primaryKey())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('until_ms', number, (column) => column.notNull())
    .addColumn('idle_until_ms', number, (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until_ms', number)
    .execute();
  await db.schema
    .createIndex('browser_session_by_end')
    .on('browser_session')
    .columns(['idle_until_ms'])
    .execute();
}

/** Drops the sessions, which logs out all users. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('browser_session').execute();
}
