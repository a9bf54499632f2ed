import type { RegistryConfig, SourceConfig } from '@portolan/kernel';
import type { SourceKind } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { nameTakenByApi, sourceStillReferenced } from './errors.ts';
import { claimSetId } from './store/claim-sets.ts';
import type { Database, SourceTable } from './store/database-schema.ts';
import { lockChanges, markChanged } from './store/epoch.ts';
import type { Store } from './store/open-store.ts';

/** What the configuration file says about sources and registries. */
export interface ConfiguredRegistries {
  readonly sources: readonly ConfiguredSource[];
  readonly registries: readonly RegistryConfig[];
}

export interface ConfiguredSource extends SourceConfig {
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** The block without values of secret fields. */
  readonly publicBlock: Readonly<Record<string, unknown>>;
}

/**
 * Makes the stored sources and registries of creation type CONFIG equal to the
 * file, in one transaction, and returns the ids of the sources by name. What
 * was made through the API is left alone; a name it has taken, or a source it
 * still needs, stops the start. Claims of a source reach its entries at once,
 * where entries inherit them; nothing changed means nothing is written.
 */
export async function reconcileConfig(
  store: Store,
  wanted: ConfiguredRegistries,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  return store.writing.transaction().execute(async (db) => {
    await lockChanges(db, store.engine);
    const work = new Reconciliation(db, now.toISOString());
    const removable = await work.refuseAndFindRemoved(wanted);
    const sourceIds = new Map<string, number>();
    for (const source of wanted.sources) sourceIds.set(source.name, await work.putSource(source));
    await work.removeRegistries(removable.registries);
    for (const registry of wanted.registries) await work.putRegistry(registry, sourceIds);
    await work.removeSources(removable.sources);
    if (work.changed) await markChanged(db, 'everything');
    return sourceIds;
  });
}

class Reconciliation {
  changed = false;
  readonly #db: Kysely<Database>;
  readonly #now: string;

  constructor(db: Kysely<Database>, now: string) {
    this.#db = db;
    this.#now = now;
  }

  /** Ids of what the file no longer names. Throws on a clash with what the API made. */
  async refuseAndFindRemoved(wanted: ConfiguredRegistries) {
    const db = this.#db;
    const sources = await db.selectFrom('source').select(['id', 'name', 'creation_type']).execute();
    const registries = await db.selectFrom('registry').select(['id', 'name', 'creation_type']).execute();
    const takenSources = clashes(sources, wanted.sources);
    if (takenSources.length > 0) throw nameTakenByApi('source', takenSources);
    const takenRegistries = clashes(registries, wanted.registries);
    if (takenRegistries.length > 0) throw nameTakenByApi('registry', takenRegistries);
    const gone = removed(sources, wanted.sources);
    if (gone.length > 0) await this.#refuseReferenced(gone);
    return {
      sources: gone.map((row) => row.id),
      registries: removed(registries, wanted.registries).map((row) => row.id),
    };
  }

  async putSource(source: ConfiguredSource): Promise<number> {
    const columns = {
      kind: source.kind,
      creation_type: 'CONFIG' as const,
      block: JSON.stringify(source.publicBlock),
      filter: source.filter === undefined ? null : JSON.stringify(source.filter),
      interval_ms: source.intervalMs ?? null,
      claims_from: source.claimsFrom,
      claim_set_id: await claimSetId(this.#db, source.claims),
    };
    const before = await this.#db
      .selectFrom('source')
      .selectAll()
      .where('name', '=', source.name)
      .executeTakeFirst();
    if (before === undefined) return this.#makeSource({ ...columns, name: source.name });
    if (differs(before, columns)) {
      this.changed = true;
      await this.#db
        .updateTable('source')
        .set({ ...columns, updated_at: this.#now })
        .where('id', '=', before.id)
        .execute();
      await this.#readAgain(before, columns);
    }
    if (source.claimsFrom === 'source') await this.#inheritClaims(before.id, columns.claim_set_id);
    return before.id;
  }

  async putRegistry(registry: RegistryConfig, sourceIds: ReadonlyMap<string, number>): Promise<void> {
    const labels = { claim_set_id: await claimSetId(this.#db, registry.claims) };
    const before = await this.#db
      .selectFrom('registry')
      .selectAll()
      .where('name', '=', registry.name)
      .executeTakeFirst();
    const id = before?.id ?? (await this.#makeRegistry(registry.name, labels.claim_set_id));
    if (before !== undefined && differs(before, labels)) {
      this.changed = true;
      await this.#db
        .updateTable('registry')
        .set({ ...labels, updated_at: this.#now })
        .where('id', '=', id)
        .execute();
    }
    const links = registry.sources.map((name, position) => ({
      registry_id: id,
      source_id: sourceIds.get(name) ?? 0,
      position,
    }));
    await this.#relink(id, links);
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

  async #makeSource(columns: Omit<SourceTable, 'id' | 'created_at' | 'updated_at'>): Promise<number> {
    this.changed = true;
    const { id } = await this.#db
      .insertInto('source')
      .values({ ...columns, created_at: this.#now, updated_at: this.#now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const synced = columns.claims_from === 'source';
    await this.#db
      .insertInto('sync_status')
      .values({
        source_id: id,
        phase: synced ? 'failed' : 'complete',
        message: synced ? 'No previous sync status found' : `Non-synced source (type: ${columns.kind})`,
        attempt_count: 0,
        server_count: 0,
        skill_count: 0,
        plugin_count: 0,
        version_count: 0,
        skipped_count: 0,
        skipped: '[]',
        warning_count: 0,
        due_at_ms: 0,
      })
      .execute();
    return id;
  }

  /** Another block or filter is another reading: due at once, and not taken for unchanged. */
  async #readAgain(
    before: Pick<SourceTable, 'kind' | 'block' | 'filter'> & { readonly id: number },
    columns: Pick<SourceTable, 'kind' | 'block' | 'filter'>,
  ): Promise<void> {
    const { kind, block, filter } = columns;
    if (!differs(before, { kind, block, filter })) return;
    await this.#db
      .updateTable('sync_status')
      .set({ due_at_ms: 0, fingerprint: null })
      .where('source_id', '=', before.id)
      .execute();
  }

  async #inheritClaims(sourceId: number, claimSet: number): Promise<void> {
    for (const table of ['entry', 'entry_version'] as const) {
      const { numUpdatedRows } = await this.#db
        .updateTable(table)
        .set({ claim_set_id: claimSet, updated_at: this.#now })
        .where('source_id', '=', sourceId)
        .where('claim_set_id', '<>', claimSet)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) this.changed = true;
    }
  }

  async #makeRegistry(name: string, claimSet: number): Promise<number> {
    this.changed = true;
    const { id } = await this.#db
      .insertInto('registry')
      .values({
        name,
        creation_type: 'CONFIG',
        claim_set_id: claimSet,
        epoch: 0,
        created_at: this.#now,
        updated_at: this.#now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async #relink(registryId: number, links: readonly Database['registry_source'][]): Promise<void> {
    const before = await this.#db
      .selectFrom('registry_source')
      .selectAll()
      .where('registry_id', '=', registryId)
      .orderBy('position')
      .execute();
    const same =
      before.length === links.length &&
      before.every((link, position) => link.source_id === links[position]?.source_id);
    if (same) return;
    this.changed = true;
    await this.#db.deleteFrom('registry_source').where('registry_id', '=', registryId).execute();
    await this.#db.insertInto('registry_source').values(links).execute();
  }
}

interface NamedRow {
  readonly id: number;
  readonly name: string;
  readonly creation_type: 'CONFIG' | 'API';
}

function clashes(rows: readonly NamedRow[], wanted: readonly { readonly name: string }[]): string[] {
  const names = new Set(wanted.map((one) => one.name));
  return rows.filter((row) => row.creation_type === 'API' && names.has(row.name)).map((row) => row.name);
}

function removed(rows: readonly NamedRow[], wanted: readonly { readonly name: string }[]): NamedRow[] {
  const names = new Set(wanted.map((one) => one.name));
  return rows.filter((row) => row.creation_type === 'CONFIG' && !names.has(row.name));
}

function differs<T extends object>(before: T, columns: Partial<T>): boolean {
  return Object.entries(columns).some(([name, value]) => before[name as keyof T] !== value);
}
