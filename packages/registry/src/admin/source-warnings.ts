import { describeEntry, printIssues } from '@portolan/entry-format';
import type { Kysely } from 'kysely';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Database, EntryVersionTable } from '../store/database-schema.ts';
import type { EntryWarning } from '../store/sync-status.ts';
import { OwnTurns } from '../preparation/own-turns.ts';

/** Maximum number of warnings that are returned with their text. The count includes all. */
const MAX_SHOWN = 100;

type Suspect = Pick<EntryVersionTable, 'type' | 'name' | 'version' | 'document' | 'updated_at'>;

export async function suspectsOf(db: Kysely<Database>, sourceId: number): Promise<readonly Suspect[]> {
  return await db
    .selectFrom('entry_version')
    .select(['type', 'name', 'version', 'document', 'updated_at'])
    .where('source_id', '=', sourceId)
    .where('warning_count', '>', 0)
    .orderBy('type')
    .orderBy('name')
    .orderBy('order_key')
    .limit(MAX_SHOWN)
    .execute();
}

/**
 * Returns the warnings about a source's entries. Warnings are not stored, so it validates the entries again,
 * in slices that let other requests proceed.
 */
export async function sourceWarnings(
  suspects: readonly Suspect[],
  { maxMetaSize, transports }: DocumentRules,
): Promise<readonly EntryWarning[]> {
  const entryWarnings: EntryWarning[] = [];
  const turns = new OwnTurns();
  for (const { type, name, version, document, updated_at: publishedAt } of suspects) {
    const described = describeEntry({ type, document: JSON.parse(document) as unknown }, 'sync', {
      publishedAt,
      maxMetadataBytes: maxMetaSize,
      transports,
    });
    const entry = `${type} ${name}@${version}`;
    entryWarnings.push(...described.issues.map((issue) => ({ entry, warning: printIssues([issue]) })));
    await turns.next();
  }
  return entryWarnings.slice(0, MAX_SHOWN);
}
