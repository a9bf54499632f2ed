import { type Kysely, sql } from 'kysely';
import type { EntryType } from '@portolan/plugin-api';
import type { Database } from '../../store/database-schema.ts';

const COLUMN = { server: 'server_count', skill: 'skill_count', plugin: 'plugin_count' } as const;

export async function adjustCounts(
  db: Kysely<Database>,
  sourceId: number,
  by: { readonly type: EntryType; readonly entries: number; readonly versions: number },
): Promise<void> {
  const column = COLUMN[by.type];
  await db
    .updateTable('sync_status')
    .set({
      [column]: sql<number>`${sql.ref(column)} + ${sql.lit(by.entries)}`,
      version_count: sql<number>`version_count + ${sql.lit(by.versions)}`,
    })
    .where('source_id', '=', sourceId)
    .execute();
}
