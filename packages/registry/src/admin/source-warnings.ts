import { describeEntry, printIssues } from '@portolan/entry-format';
import type { Kysely } from 'kysely';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Database } from '../store/database-schema.ts';
import type { EntryWarning } from '../store/sync-status.ts';

/** Most warnings that are shown with their texts; all are counted. */
const MOST_SHOWN = 100;

/** What is odd about the entries of a source that are served all the same: found again, not stored. */
export async function sourceWarnings(
  db: Kysely<Database>,
  sourceId: number,
  { maxMetaSize, transports }: DocumentRules,
): Promise<readonly EntryWarning[]> {
  const rows = await db
    .selectFrom('entry_version')
    .select(['type', 'name', 'version', 'document', 'updated_at'])
    .where('source_id', '=', sourceId)
    .where('warning_count', '>', 0)
    .orderBy('type')
    .orderBy('name')
    .orderBy('order_key')
    .limit(MOST_SHOWN)
    .execute();
  const found = rows.flatMap(({ type, name, version, document, updated_at: publishedAt }) => {
    const described = describeEntry({ type, document: JSON.parse(document) as unknown }, 'sync', {
      publishedAt,
      mostMetadataBytes: maxMetaSize,
      transports,
    });
    return described.issues.map((issue) => ({
      entry: `${type} ${name}@${version}`,
      warning: printIssues([issue]),
    }));
  });
  return found.slice(0, MOST_SHOWN);
}
