import { entryNotFound } from '../admin-errors.ts';
import { adminWrite } from '../../store/admin-write.ts';
import { markChanged } from '../../store/epoch.ts';
import type { AdminContext } from '../admin-context.ts';
import { adjustCounts } from './entry-counts.ts';
import { findManagedEntry } from './managed-entry.ts';
import { moveLatest } from './managed-versions.ts';
import type { Actor, EntryAddress, WriteOptions } from '../registry-admin.ts';
import { requireRevision } from '../require-revision.ts';

export async function deleteVersion(
  { store, changed }: AdminContext,
  actor: Actor,
  address: EntryAddress,
  version: string,
  options: WriteOptions = {},
): Promise<void> {
  const { type } = address;
  const source = await adminWrite(
    store,
    async (db) => {
      const entry = await findManagedEntry(db, actor, address, version);
      requireRevision(entry.revision, `The entry "${entry.name}"`, options);
      const versions = await db
        .selectFrom('entry_version')
        .select(['id', 'version', 'status', 'order_key', 'is_latest'])
        .where('entry_id', '=', entry.id)
        .execute();
      const gone = versions.find((row) => row.version === version);
      if (gone === undefined) throw entryNotFound(type, address.name, version);
      const left = versions.filter((row) => row !== gone);
      await db.deleteFrom('entry_version').where('id', '=', gone.id).execute();
      if (left.length === 0) await db.deleteFrom('entry').where('id', '=', entry.id).execute();
      else await moveLatest(db, left);
      await adjustCounts(db, entry.sourceId, { type, entries: left.length === 0 ? -1 : 0, versions: -1 });
      await markChanged(db, { sourceIds: [entry.sourceId] });
      return entry.source;
    },
    options,
  );
  changed?.({ what: 'entries', name: source });
}
