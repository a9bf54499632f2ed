import type { Kysely } from 'kysely';
import { parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import type { StoredRegistry } from './admin-definitions.ts';

export interface RegistryRow extends StoredRegistry {
  readonly id: number;
  /** Ids of the registry's sources, highest priority first. */
  readonly sourceIds: readonly number[];
}

/** Returns registries ordered by name. Reads them in one statement, so no transaction is needed. */
export async function selectRegistries(db: Kysely<Database>, name?: string): Promise<readonly RegistryRow[]> {
  const rows = await db
    .selectFrom('registry')
    .innerJoin('claim_set', 'claim_set.id', 'registry.claim_set_id')
    .leftJoin('claim_set as shown', 'shown.id', 'registry.public_claim_set_id')
    .leftJoin('registry_source as link', 'link.registry_id', 'registry.id')
    .leftJoin('source', 'source.id', 'link.source_id')
    .select([
      'registry.id',
      'registry.name',
      'registry.creation_type',
      'registry.created_at',
      'registry.updated_at',
      'registry.revision',
      'claim_set.canonical',
      'shown.canonical as shown',
      'source.id as source_id',
      'source.name as source_name',
    ])
    .$if(name !== undefined, (query) => query.where('registry.name', '=', name ?? ''))
    .orderBy('registry.name')
    .orderBy('link.position')
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((own) => {
    // SAFETY: a group contains at least one row.
    const [row] = own as [(typeof own)[number]];
    return {
      id: row.id,
      name: row.name,
      creationType: row.creation_type,
      sources: own.flatMap(({ source_name: source }) => source ?? []),
      sourceIds: own.flatMap(({ source_id: source }) => source ?? []),
      claims: parseClaims(row.canonical),
      publicClaims: row.shown === null ? undefined : parseClaims(row.shown),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      revision: row.revision,
    };
  });
}

export async function findRegistry(db: Kysely<Database>, name: string): Promise<RegistryRow | undefined> {
  // PostgreSQL rejects strings with U+0000.
  if (name.includes('\0')) return undefined;
  const [row] = await selectRegistries(db, name);
  return row;
}
