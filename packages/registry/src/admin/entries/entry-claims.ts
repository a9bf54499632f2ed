import type { ResourceClaims } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { adminWrite } from '../../store/admin-write.ts';
import { claimSetId } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import { markChanged } from '../../store/epoch.ts';
import { newRevision } from '../../store/revision.ts';
import { requireLabel } from '../actor-decisions.ts';
import { type AdminContext, readAtOnce } from '../admin-context.ts';
import { findManagedEntry } from './managed-entry.ts';
import type { Actor, EntryAddress, EntryClaims, WriteOptions } from '../registry-admin.ts';
import { requireRevision } from '../require-revision.ts';

export async function getEntryClaims(
  { store }: AdminContext,
  actor: Actor,
  address: EntryAddress,
): Promise<EntryClaims> {
  const { claims, revision } = await readAtOnce(store, (db) => findManagedEntry(db, actor, address));
  return { claims, revision };
}

export async function setEntryClaims(
  { store, clock, changed }: AdminContext,
  actor: Actor,
  address: EntryAddress,
  claims: ResourceClaims,
  options: WriteOptions = {},
): Promise<EntryClaims> {
  requireLabel(actor, claims);
  const { source, revision } = await adminWrite(
    store,
    async (db) => {
      const entry = await findManagedEntry(db, actor, address);
      requireRevision(entry.revision, `The entry "${entry.name}"`, options);
      const claimSet = await claimSetId(db, claims);
      if (claimSet === entry.claimSetId) return entry;
      const after = await relabelEntry(db, entry.id, claimSet, clock().toISOString());
      await markChanged(db, { sourceIds: [entry.sourceId] });
      return { source: entry.source, revision: after };
    },
    options,
  );
  changed?.({ what: 'entries', name: source });
  return { claims, revision };
}

/** Replaces the claims of an entry and of all its versions. Returns the entry's new revision. */
export async function relabelEntry(
  db: Kysely<Database>,
  entryId: number,
  claimSet: number,
  now: string,
): Promise<string> {
  const revision = newRevision();
  const labels = { claim_set_id: claimSet, updated_at: now };
  await db
    .updateTable('entry')
    .set({ ...labels, revision })
    .where('id', '=', entryId)
    .execute();
  await db.updateTable('entry_version').set(labels).where('entry_id', '=', entryId).execute();
  return revision;
}
