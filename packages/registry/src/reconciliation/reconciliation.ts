import type { RegistryConfig, SourceConfig } from '@portolan/kernel';
import { type SourceKind, PortolanError } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { claimSetId } from '../store/claim-sets.ts';
import type { Database, RegistryTable } from '../store/database-schema.ts';
import type { EngineName } from '../store/engine.ts';
import { newRevision } from '../store/revision.ts';
import {
  differs,
  hasOtherClaims,
  insertSource,
  lockSources,
  relabelEntries,
  SOURCE_COLUMNS,
  type SourceColumns,
  type SourceRow,
  type StoredDefinition,
  storedInterval,
  updateSource,
} from '../store/source-rows.ts';

export interface ConfiguredSource extends SourceConfig {
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** The block without the values of secret fields. */
  readonly publicBlock: Readonly<Record<string, unknown>>;
}

interface ConfiguredNames {
  readonly sources: readonly { readonly name: string }[];
  readonly registries: readonly { readonly name: string }[];
}

interface SourcePlan {
  readonly name: string;
  readonly columns: SourceColumns;
  /** The stored source. Undefined when the source is yet to be created. */
  readonly before: SourceRow | undefined;
  readonly isChanged: boolean;
  readonly relabels: boolean;
}

interface RegistryPlan {
  readonly name: string;
  readonly columns: Pick<RegistryTable, 'claim_set_id' | 'public_claim_set_id'>;
  readonly sources: readonly string[];
}

export class Reconciliation {
  changed = false;
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #now: string;

  constructor(db: Kysely<Database>, engine: EngineName, now: string) {
    this.#db = db;
    this.#engine = engine;
    this.#now = now;
  }

  /** Returns the ids of resources to remove. Throws when the file conflicts with resources from the API. */
  async refuseAndFindRemoved(configuredNames: ConfiguredNames) {
    const db = this.#db;
    const sources = await db.selectFrom('source').select(['id', 'name', 'creation_type']).execute();
    const registries = await db.selectFrom('registry').select(['id', 'name', 'creation_type']).execute();
    const takenSources = clashes(sources, configuredNames.sources);
    if (takenSources.length > 0) throw nameTakenByApi('source', takenSources);
    const takenRegistries = clashes(registries, configuredNames.registries);
    if (takenRegistries.length > 0) throw nameTakenByApi('registry', takenRegistries);
    const gone = removed(sources, configuredNames.sources);
    if (gone.length > 0) await this.#refuseReferenced(gone);
    return {
      sources: gone.map((row) => row.id),
      registries: removed(registries, configuredNames.registries).map((row) => row.id),
    };
  }

  /**
   * Returns the change of each source. Locks changed and removed sources, so that no sync writes to them
   * until the commit.
   */
  async planSources(
    sources: readonly ConfiguredSource[],
    going: readonly number[],
  ): Promise<readonly SourcePlan[]> {
    const plans: SourcePlan[] = [];
    for (const source of sources) plans.push(await this.#planSource(source));
    const changing = plans.filter((plan) => plan.isChanged || plan.relabels);
    const ids = changing.flatMap(({ before }) => (before === undefined ? [] : [before.id]));
    await lockSources(this.#db, this.#engine, [...ids, ...going]);
    return plans;
  }

  async #planSource(source: ConfiguredSource): Promise<SourcePlan> {
    const { name, kind, claimsFrom } = source;
    const columns: SourceColumns = {
      kind,
      creation_type: 'CONFIG',
      block: JSON.stringify(source.publicBlock),
      filter: source.filter === undefined ? null : JSON.stringify(source.filter),
      interval_ms: storedInterval(source.intervalMs),
      allow_shrink: source.allowShrink === true ? 1 : 0,
      claims_from: claimsFrom,
      claim_set_id: await claimSetId(this.#db, source.claims),
    };
    const before = await this.#db
      .selectFrom('source')
      .select(SOURCE_COLUMNS)
      .where('name', '=', name)
      .executeTakeFirst();
    const isChanged = before !== undefined && differs(before, columns);
    const relabels =
      before !== undefined &&
      claimsFrom === 'source' &&
      (isChanged || (await hasOtherClaims(this.#db, before.id, columns.claim_set_id)));
    return { name, columns, before, isChanged, relabels };
  }

  async putSource({ name, columns, before, isChanged, relabels }: SourcePlan): Promise<StoredDefinition> {
    if (before === undefined || isChanged || relabels) this.changed = true;
    if (before === undefined) return insertSource(this.#db, name, columns, this.#now);
    const stored = isChanged ? await updateSource(this.#db, before, columns, this.#now) : before;
    if (relabels) await relabelEntries(this.#db, before.id, columns.claim_set_id, this.#now);
    return stored;
  }

  /** Stores claims before the lock of all changes is taken, because a sync may be storing the same claims. */
  async planRegistries(registries: readonly RegistryConfig[]): Promise<readonly RegistryPlan[]> {
    const plans: RegistryPlan[] = [];
    for (const registry of registries) {
      const columns = {
        claim_set_id: await claimSetId(this.#db, registry.claims),
        public_claim_set_id: registry.public ? await claimSetId(this.#db, registry.publicClaims ?? {}) : null,
      };
      plans.push({ name: registry.name, columns, sources: registry.sources });
    }
    return plans;
  }

  async putRegistry(
    plan: RegistryPlan,
    stored: ReadonlyMap<string, Pick<StoredDefinition, 'id'>>,
  ): Promise<void> {
    const { name, columns } = plan;
    const before = await this.#db
      .selectFrom('registry')
      .select(['id', 'claim_set_id', 'public_claim_set_id'])
      .where('name', '=', name)
      .executeTakeFirst();
    const id = before?.id ?? (await this.#makeRegistry(name, columns));
    const relinked = await this.#relink(
      id,
      plan.sources.map((source, position) => ({
        registry_id: id,
        source_id: stored.get(source)?.id ?? 0,
        position,
      })),
    );
    if (before === undefined || !(relinked || differs(before, columns))) return;
    this.changed = true;
    await this.#db
      .updateTable('registry')
      .set({ ...columns, revision: newRevision(), updated_at: this.#now })
      .where('id', '=', id)
      .execute();
  }

  async removeRegistries(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    this.changed = true;
    await this.#db.deleteFrom('registry').where('id', 'in', ids).execute();
  }

  async removeSources(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    this.changed = true;
    await this.#db.deleteFrom('source').where('id', 'in', ids).execute();
  }

  async #refuseReferenced(gone: readonly { readonly id: number; readonly name: string }[]): Promise<void> {
    const links = await this.#db
      .selectFrom('registry_source')
      .innerJoin('registry', 'registry.id', 'registry_source.registry_id')
      .innerJoin('source', 'source.id', 'registry_source.source_id')
      .select(['registry.name as registry', 'source.name as source'])
      .where('registry.creation_type', '=', 'API')
      .where(
        'source.id',
        'in',
        gone.map((row) => row.id),
      )
      .execute();
    if (links.length === 0) return;
    const distinct = (names: readonly string[]): string[] => [...new Set(names)];
    throw sourceStillReferenced(
      distinct(links.map((link) => link.source)),
      distinct(links.map((link) => link.registry)),
    );
  }

  async #makeRegistry(name: string, columns: RegistryPlan['columns']): Promise<number> {
    this.changed = true;
    const { id } = await this.#db
      .insertInto('registry')
      .values({
        name,
        creation_type: 'CONFIG',
        ...columns,
        epoch: 0,
        revision: newRevision(),
        created_at: this.#now,
        updated_at: this.#now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async #relink(registryId: number, links: readonly Database['registry_source'][]): Promise<boolean> {
    const before = await this.#db
      .selectFrom('registry_source')
      .select('source_id')
      .where('registry_id', '=', registryId)
      .orderBy('position')
      .execute();
    const same =
      before.length === links.length &&
      before.every((link, position) => link.source_id === links[position]?.source_id);
    if (same) return false;
    this.changed = true;
    await this.#db.deleteFrom('registry_source').where('registry_id', '=', registryId).execute();
    await this.#db.insertInto('registry_source').values(links).execute();
    return true;
  }
}

interface NamedRow {
  readonly id: number;
  readonly name: string;
  readonly creation_type: 'CONFIG' | 'API';
}

function clashes(rows: readonly NamedRow[], requested: readonly { readonly name: string }[]): string[] {
  const names = new Set(requested.map((one) => one.name));
  return rows.filter((row) => row.creation_type === 'API' && names.has(row.name)).map((row) => row.name);
}

function removed(rows: readonly NamedRow[], targets: readonly { readonly name: string }[]): NamedRow[] {
  const names = new Set(targets.map((one) => one.name));
  return rows.filter((row) => row.creation_type === 'CONFIG' && !names.has(row.name));
}

/** Creates the error for a source or registry in the file whose name a resource from the API already has. */
function nameTakenByApi(what: 'source' | 'registry', names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_NAME_TAKEN',
    'mistake',
    `The configuration defines ${what} ${names.map((name) => `"${name}"`).join(', ')}, which already exists through the API.`,
    { hint: 'Rename it in the file, or delete the existing one through the API first.' },
  );
}

/** Creates the error for a source removed from the file while a registry from the API still lists it. */
function sourceStillReferenced(names: readonly string[], registries: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REFERENCED',
    'mistake',
    `The configuration no longer defines source ${names.map((name) => `"${name}"`).join(', ')}, but registry ${registries.map((name) => `"${name}"`).join(', ')} still lists it.`,
    { hint: 'Restore the source in the file, or first remove it from the registry through the API.' },
  );
}
