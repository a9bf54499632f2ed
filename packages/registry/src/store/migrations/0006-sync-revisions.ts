import { type Kysely, sql } from 'kysely';
import type { EngineName } from '../engine.ts';

/** Adds the revision. Each repository is read once more to determine its commit. */
export async function up(db: Kysely<unknown>, _engine: EngineName): Promise<void> {
  await db.schema.alterTable('sync_status').addColumn('sync_revision', 'text').execute();
  await sql`update sync_status set fingerprint = null
    where source_id in (select id from source where kind = 'git')`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sync_status').dropColumn('sync_revision').execute();
}
