import type { EntryFilter, VersionRow } from '../../read/registry-reader.ts';
import { entryNotFound } from '../admin-errors.ts';
import { type AdminContext, readAtOnce } from '../admin-context.ts';
import { findManagedEntry } from './managed-entry.ts';
import { selectVersionRows } from './managed-versions.ts';
import type { Actor, EntryAddress, ManagedEntryRecord } from '../registry-admin.ts';

export async function getEntry(
  { store }: AdminContext,
  actor: Actor,
  address: EntryAddress,
  filter: EntryFilter | undefined,
): Promise<ManagedEntryRecord> {
  const { entry, rows } = await readAtOnce(store, async (db) => {
    const managedEntry = await findManagedEntry(db, actor, address);
    const ids = await db
      .selectFrom('entry_version')
      .select('id')
      .where('entry_id', '=', managedEntry.id)
      .execute();
    return {
      entry: managedEntry,
      rows: await selectVersionRows(
        db,
        ids.map(({ id }) => id),
      ),
    };
  });
  const versions = filter === undefined ? rows : await keepRows(rows, filter);
  if (versions.length === 0) throw entryNotFound(address.type, address.name);
  const { name, source, claims, revision } = entry;
  return { type: address.type, name, source, claims, revision, versions: versions.map(toRecord) };
}

async function keepRows(rows: readonly VersionRow[], filter: EntryFilter): Promise<readonly VersionRow[]> {
  const entries = rows.map(({ document, ...row }) => ({ ...row, document: JSON.parse(document) }));
  const remaining = new Set(await filter(entries));
  return rows.filter((_row, at) => {
    const entry = entries[at];
    return entry !== undefined && remaining.has(entry);
  });
}

function toRecord(row: VersionRow): ManagedEntryRecord['versions'][number] {
  const { version, status, statusMessage, isLatest, publishedAt, updatedAt } = row;
  const { title, description }: { readonly title?: unknown; readonly description?: unknown } = JSON.parse(
    row.document,
  );
  return {
    version,
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : '',
    status,
    statusMessage,
    isLatest,
    createdAt: publishedAt,
    updatedAt,
  };
}
