import { type Kysely, sql } from 'kysely';
import type { Database } from './database-schema.ts';
import type { EngineName } from './engine.ts';

/**
 * Gives the change a number and assigns it to registries that may show it. Call it last, because other
 * writers wait from here until the commit.
 */
export async function markChanged(
  db: Kysely<Database>,
  changed:
    | { readonly sourceIds: readonly number[] }
    | { readonly registryIds: readonly number[] }
    | 'everything',
): Promise<void> {
  const { epoch } = await db
    .updateTable('change')
    .set({ epoch: sql<number>`epoch + 1` })
    .where('id', '=', 1)
    .returning('epoch')
    .executeTakeFirstOrThrow();
  const registries = db.updateTable('registry').set({ epoch });
  if (changed === 'everything') await registries.execute();
  else if ('registryIds' in changed) {
    if (changed.registryIds.length > 0) await registries.where('id', 'in', changed.registryIds).execute();
  } else if (changed.sourceIds.length > 0) {
    const listing = db
      .selectFrom('registry_source')
      .select('registry_id')
      .where('source_id', 'in', changed.sourceIds);
    await registries.where('id', 'in', listing).execute();
  }
}

/**
 * Serializes transactions from here to their commit (SQLite does anyway). Acquire it before changing rows of
 * registries, and after everything that may wait for a sync, which acquires it last.
 */
export async function lockChanges(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`select epoch from change where id = 1 for update`.execute(db);
}
