import { type Kysely, sql } from 'kysely';
import type { Database } from './database-schema.ts';
import type { EngineName } from './engine.ts';

/**
 * Marks a change in the transaction that makes it: the number of the whole
 * database grows, and the registries that may show the change take it. Call it
 * last: from here to the commit other writers wait.
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
 * Lets one transaction at a time go on from here to its commit; on SQLite every
 * writing transaction is alone anyway. Take it before rows of registries are
 * changed, and after whatever may wait for a sync, which takes it last.
 */
export async function lockChanges(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`select epoch from change where id = 1 for update`.execute(db);
}
