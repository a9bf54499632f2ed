import type { Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import { type AdminContext, readAtOnce } from '../admin-context.ts';
import { type ListedEntry, selectListedEntries, type WalkPosition } from './listed-entries.ts';
import { keepFiltered, type ListedVersion, selectListedVersions, STEP } from './listed-versions.ts';
import { parseEntryKey, printEntryKey } from '../page-key.ts';
import type { Actor, Page, PageQuery, SourceEntryRecord } from '../registry-admin.ts';
import { requireSource } from '../sources.ts';
import { findSource } from '../stored-source.ts';

export async function listSourceEntries(
  { store }: AdminContext,
  actor: Actor,
  name: string,
  page: PageQuery,
): Promise<Page<SourceEntryRecord>> {
  const items: SourceEntryRecord[] = [];
  const { limit, after, filter } = page;
  let from: WalkPosition | undefined =
    after === undefined ? undefined : { key: parseEntryKey(after), inclusive: false };
  for (;;) {
    const size = filter === undefined ? Math.min(STEP, limit + 1 - items.length) : STEP;
    const { entries, versions } = await readAtOnce(store, async (db) => {
      const source = requireSource(await findSource(db, name), actor, name);
      const some = await selectListedEntries(db, actor, source.id, from, size);
      return { entries: some, versions: await selectVersionsOf(db, some, filter !== undefined) };
    });
    items.push(...toRecords(entries, await keepFiltered(versions, filter)));
    const last = entries.at(-1);
    const isEnd = last === undefined || entries.length < size;
    if (items.length > limit || isEnd) return toPage(items, limit);
    from = { key: last, inclusive: false };
  }
}

function toPage(items: readonly SourceEntryRecord[], limit: number): Page<SourceEntryRecord> {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown,
    next: items.length <= limit || last === undefined ? undefined : printEntryKey(last),
  };
}

async function selectVersionsOf(
  db: Kysely<Database>,
  entries: readonly ListedEntry[],
  withEntries: boolean,
): Promise<readonly ListedVersion[]> {
  if (entries.length === 0) return [];
  const rows = await db
    .selectFrom('entry_version')
    .select('id')
    .where(
      'entry_id',
      'in',
      entries.map(({ id }) => id),
    )
    .execute();
  return selectListedVersions(
    db,
    rows.map(({ id }) => id),
    withEntries,
  );
}

/** Groups versions by entry, highest version first. Drops entries that have no version left. */
function toRecords(
  entries: readonly ListedEntry[],
  versions: readonly ListedVersion[],
): readonly SourceEntryRecord[] {
  const byEntry = Map.groupBy(versions, ({ entryId }) => entryId);
  return entries.flatMap(({ id, type, name }) => {
    const own = (byEntry.get(id) ?? []).toSorted((a, b) => (a.orderKey < b.orderKey ? 1 : -1));
    const [first] = own;
    if (first === undefined) return [];
    const shown = own.map(({ version, title, description, status, createdAt, updatedAt }) => ({
      version,
      title,
      description,
      status,
      createdAt,
      updatedAt,
    }));
    return [{ type, name, claims: first.claims, versions: shown }];
  });
}
