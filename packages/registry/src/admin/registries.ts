import type { Kysely } from 'kysely';
import type { PortolanError } from '@portolan/plugin-api';
import { madeByFile, registryNotFound, sourceForbidden, sourceUnknown } from './admin-errors.ts';
import { adminWrite } from '../store/admin-write.ts';
import { claimSetId, parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { lockChanges, markChanged } from '../store/epoch.ts';
import { newRevision } from '../store/revision.ts';
import { maySee } from './actor-decisions.ts';
import { type AdminContext, readAtOnce } from './admin-context.ts';
import { judgePut } from './judge-put.ts';
import type { Actor, Unusable, WriteOptions } from './registry-admin.ts';
import type { RegistryDefinition, StoredRegistry } from './admin-definitions.ts';
import { requireRevision } from './require-revision.ts';
import type { PlacedFault } from './several-faults.ts';
import { findRegistry, type RegistryRow, selectRegistries } from './stored-registry.ts';

export async function listRegistries(
  { store }: AdminContext,
  actor: Actor,
): Promise<readonly StoredRegistry[]> {
  const registries = await selectRegistries(store.reading);
  return registries.filter((registry) => maySee(actor, registry));
}

export async function getRegistry(
  { store }: AdminContext,
  actor: Actor,
  name: string,
): Promise<StoredRegistry> {
  return requireRegistry(await findRegistry(store.reading, name), actor, name);
}

export async function putRegistry(
  { store, clock, changed }: AdminContext,
  actor: Actor,
  name: string,
  definition: RegistryDefinition,
  options: WriteOptions = {},
): Promise<{ readonly created: boolean; readonly registry: StoredRegistry }> {
  const result = await adminWrite(
    store,
    async (db) => {
      const { before, sourceIds } = await judgeRegistry(db, actor, name, definition, options);
      const claimSet = await claimSetId(db, definition.claims);
      // Avoids a deadlock: a sync acquires this lock before the rows of registries.
      await lockChanges(db, store.engine);
      await storeRegistry(db, { name, before, sourceIds, claimSet, now: clock().toISOString() });
      const registry = await findRegistry(db, name);
      if (registry === undefined) throw new TypeError(`the registry "${name}" was not stored`);
      return { created: before === undefined, registry };
    },
    options,
  );
  changed?.({ what: 'registry', name });
  return result;
}

export async function refuseRegistry(
  { store }: AdminContext,
  actor: Actor,
  name: string,
  { fault, ...readable }: Unusable<RegistryDefinition>,
  options: WriteOptions = {},
): Promise<never> {
  await readAtOnce(store, (db) => judgeRegistry(db, actor, name, readable, options, fault));
  throw fault;
}

async function judgeRegistry(
  db: Kysely<Database>,
  actor: Actor,
  name: string,
  { sources = [], claims }: Partial<RegistryDefinition>,
  options: WriteOptions,
  fault?: PortolanError,
): Promise<{ readonly before: RegistryRow | undefined; readonly sourceIds: readonly number[] }> {
  const { ids, faults } = await findSources(db, actor, sources);
  const before = await findRegistry(db, name);
  const ofDefinition = fault === undefined ? [] : [{ path: '', error: fault }];
  judgePut(actor, { what: 'registry', name, claims }, before, { ofDefinition, ofNames: faults }, options);
  return { before, sourceIds: ids };
}

export async function deleteRegistry(
  { store, changed }: AdminContext,
  actor: Actor,
  name: string,
  options: WriteOptions = {},
): Promise<void> {
  await adminWrite(
    store,
    async (db) => {
      const registry = requireRegistry(await findRegistry(db, name), actor, name);
      if (registry.creationType === 'CONFIG') throw madeByFile('registry', name);
      requireRevision(registry.revision, `The registry "${name}"`, options);
      await lockChanges(db, store.engine);
      await db.deleteFrom('registry').where('id', '=', registry.id).execute();
      await markChanged(db, { registryIds: [] });
    },
    options,
  );
  changed?.({ what: 'registry', name });
}

/** Returns the registry. Throws ERR_REGISTRY_NOT_FOUND when it is absent or hidden from the actor. */
export function requireRegistry(registry: RegistryRow | undefined, actor: Actor, name: string): RegistryRow {
  if (registry === undefined || !maySee(actor, registry)) throw registryNotFound(name);
  return registry;
}

/**
 * Returns the ids of the named sources in the same order. Returns ERR_SOURCE_UNKNOWN or ERR_SOURCE_FORBIDDEN
 * when a source is absent or may not be used.
 */
async function findSources(
  db: Kysely<Database>,
  actor: Actor,
  names: readonly string[],
): Promise<{ readonly ids: readonly number[]; readonly faults: readonly PlacedFault[] }> {
  const storable = names.filter((name) => !name.includes('\0'));
  const rows =
    storable.length === 0
      ? []
      : await db
          .selectFrom('source')
          .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
          .select(['source.id', 'source.name', 'claim_set.canonical'])
          .where('source.name', 'in', storable)
          .execute();
  const byName = new Map(rows.map((row) => [row.name, row]));
  const unknown = names.filter((name) => !byName.has(name));
  const hidden = rows.filter(({ canonical }) => !maySee(actor, { claims: parseClaims(canonical) }));
  const errors = [
    ...(unknown.length === 0 ? [] : [sourceUnknown(unknown)]),
    ...(hidden.length === 0 ? [] : [sourceForbidden(hidden.map(({ name }) => name))]),
  ];
  return {
    ids: names.flatMap((name) => byName.get(name)?.id ?? []),
    faults: errors.map((error) => ({ path: 'sources', error })),
  };
}

async function storeRegistry(
  db: Kysely<Database>,
  what: {
    readonly name: string;
    readonly before: RegistryRow | undefined;
    readonly sourceIds: readonly number[];
    readonly claimSet: number;
    readonly now: string;
  },
): Promise<void> {
  const { name, before, sourceIds, claimSet, now } = what;
  const columns = { claim_set_id: claimSet, revision: newRevision(), updated_at: now };
  if (before !== undefined && !(await isOther(db, before, sourceIds, claimSet))) return;
  const { id } =
    before === undefined
      ? await db
          .insertInto('registry')
          .values({ ...columns, name, creation_type: 'API', epoch: 0, created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow()
      : await db
          .updateTable('registry')
          .set(columns)
          .where('id', '=', before.id)
          .returning('id')
          .executeTakeFirstOrThrow();
  await db.deleteFrom('registry_source').where('registry_id', '=', id).execute();
  const links = sourceIds.map((source, position) => ({ registry_id: id, source_id: source, position }));
  await db.insertInto('registry_source').values(links).execute();
  await markChanged(db, { registryIds: [id] });
}

async function isOther(
  db: Kysely<Database>,
  before: RegistryRow,
  sourceIds: readonly number[],
  claimSet: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry')
    .select('claim_set_id')
    .where('id', '=', before.id)
    .executeTakeFirstOrThrow();
  return (
    row.claim_set_id !== claimSet ||
    before.sourceIds.length !== sourceIds.length ||
    before.sourceIds.some((id, position) => id !== sourceIds[position])
  );
}
