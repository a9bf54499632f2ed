import { madeByFile } from './admin-errors.ts';
import { maySee } from './actor-decisions.ts';
import { type AdminSurroundings, readAtOnce } from './admin-surroundings.ts';
import { findRegistry, type RegistryRow } from './stored-registry.ts';
import type { Actor, StoredSource } from './registry-admin.ts';
import { findSource } from './stored-source.ts';

/** See `RegistryAdmin.requireChangeable`. */
export async function requireChangeable(
  { store }: AdminSurroundings,
  actor: Actor,
  what: 'source' | 'registry',
  name: string,
): Promise<void> {
  const found = await readAtOnce(
    store,
    async (db): Promise<StoredSource | RegistryRow | undefined> =>
      what === 'source' ? await findSource(db, name) : await findRegistry(db, name),
  );
  if (found?.creationType === 'CONFIG' && maySee(actor, found)) throw madeByFile(what, name);
}
