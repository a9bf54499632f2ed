import type { Kysely } from 'kysely';
import type { EngineName } from '../engine.ts';

export async function up(db: Kysely<unknown>, _engine: EngineName): Promise<void> {
  await db.schema
    .alterTable('source')
    .addColumn('allow_shrink', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('sync_status').addColumn('accept_request', 'text').execute();
}

/** Replaces the phase `held`, which the previous version does not know. */
export async function down(db: Kysely<{ sync_status: { phase: string } }>): Promise<void> {
  await db.updateTable('sync_status').set({ phase: 'failed' }).where('phase', '=', 'held').execute();
  await db.schema.alterTable('sync_status').dropColumn('accept_request').execute();
  await db.schema.alterTable('source').dropColumn('allow_shrink').execute();
}
