import type { ResourceClaims } from '@portolan/plugin-api';
import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { ChangeTable, Database } from '../store/database-schema.ts';
import type { Store } from '../store/open-store.ts';
import { CoalescedRead } from './coalesced-read.ts';
import type { Catalog, PublishedRegistry } from './registry-reader.ts';

export interface KnownRegistry extends PublishedRegistry {
  /** The registry's sources that have entries, highest priority first. */
  readonly holdings: readonly Holding[];
}

/** Source of a registry, with what a query needs to decide whether to search it. */
export interface Holding {
  readonly sourceId: number;
  readonly versionCount: number;
  /** Id of the claims object that all its entries share. Undefined when entries have individual claims. */
  readonly classId: number | undefined;
}

export interface KnownCatalog extends Catalog {
  /** Random identifier of this database. */
  readonly instance: string;
  readonly registries: ReadonlyMap<string, KnownRegistry>;
  readonly sourceNames: ReadonlyMap<number, string>;
  /** Number of the last change that the catalog contains. */
  readonly change: number;
}

/**
 * Caches registries, sources and claims objects as of the last committed change. Each lookup first compares
 * that change's number, with one indexed read that concurrent lookups share.
 */
export class CatalogCache {
  readonly #store: Store;
  readonly #current: CoalescedRead<KnownCatalog>;
  #epochQuery: CompiledQuery<ChangeRow> | undefined;
  #known: { readonly catalog: KnownCatalog; readonly settled: Promise<KnownCatalog> } | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#current = new CoalescedRead(() => this.#read());
  }

  /** Returns the catalog to which this registry object belongs. Undefined when a newer catalog is known. */
  holding(registry: PublishedRegistry): KnownCatalog | undefined {
    const catalog = this.#known?.catalog;
    return catalog?.registries.get(registry.name) === registry ? catalog : undefined;
  }

  /**
   * Returns the newest known catalog for a lookup that verifies in its own statement whether the catalog is
   * current.
   */
  unconfirmed(): KnownCatalog | undefined {
    return this.#store.engine === 'postgres' ? this.#known?.catalog : undefined;
  }

  /** Returns a catalog that contains every change committed before this call. */
  fresh(): Promise<KnownCatalog> {
    const known = this.#known;
    const { readEpoch } = this.#store;
    if (known === undefined || readEpoch === undefined) return this.#current.fresh();
    try {
      return readEpoch() === known.catalog.change ? known.settled : this.#current.fresh();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #read(): Promise<KnownCatalog> {
    this.#epochQuery ??= EPOCH.compile(this.#store.reading);
    const { epoch } = onlyRow(await this.#store.readRows(this.#epochQuery));
    if (this.#known?.catalog.change !== epoch) {
      const catalog = await loadCatalog(this.#store.reading);
      this.#known = { catalog, settled: Promise.resolve(catalog) };
    }
    return this.#known.catalog;
  }
}

type ChangeRow = Pick<ChangeTable, 'epoch' | 'instance'>;

const EPOCH = sql<ChangeRow>`select epoch, instance from change where id = 1`;

function onlyRow([row]: readonly ChangeRow[]): ChangeRow {
  if (row === undefined) throw new TypeError('the table "change" has no row; expected one');
  return row;
}

/** Reads everything in one transaction, so that all statements see the same state. */
async function loadCatalog(reading: Kysely<Database>): Promise<KnownCatalog> {
  return reading
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (db) => readCatalog(db, onlyRow((await EPOCH.execute(db)).rows)));
}

async function readCatalog(
  db: Kysely<Database>,
  { epoch: change, instance }: ChangeRow,
): Promise<KnownCatalog> {
  const claimSets = new Map<number, ResourceClaims>();
  for (const { id, canonical } of await db.selectFrom('claim_set').select(['id', 'canonical']).execute()) {
    // SAFETY: `canonicalClaims` wrote it from claims.
    claimSets.set(id, JSON.parse(canonical) as ResourceClaims);
  }
  const registries = new Map<string, KnownRegistry>();
  const links = await db
    .selectFrom('registry_source as link')
    .innerJoin('source', 'source.id', 'link.source_id')
    .leftJoin('sync_status as status', 'status.source_id', 'source.id')
    .select([
      'link.registry_id',
      'source.id',
      'source.name',
      'source.claims_from',
      'source.claim_set_id',
      'status.version_count',
    ])
    .orderBy('link.registry_id')
    .orderBy('link.position')
    .execute();
  const rows = await db
    .selectFrom('registry')
    .select(['id', 'name', 'claim_set_id', 'public_claim_set_id', 'epoch'])
    .orderBy('name')
    .execute();
  for (const row of rows) {
    const own = links.filter((link) => link.registry_id === row.id);
    registries.set(row.name, {
      id: row.id,
      name: row.name,
      claims: claimSets.get(row.claim_set_id) ?? {},
      publicClaims: row.public_claim_set_id === null ? undefined : claimSets.get(row.public_claim_set_id),
      sources: own.map((link) => link.name),
      // Skipping empty sources saves queries. On PostgreSQL it also avoids scanning rows that a first sync is
      // writing.
      holdings: own.flatMap(({ id, version_count, claims_from, claim_set_id }) =>
        version_count === null || version_count === 0
          ? []
          : [
              {
                sourceId: id,
                versionCount: version_count,
                classId: claims_from === 'source' ? claim_set_id : undefined,
              },
            ],
      ),
      epoch: `${instance}.${row.epoch}`,
    });
  }
  const sourceNames = new Map(links.map((link) => [link.id, link.name]));
  return { registries, claimSets, sourceNames, instance, change };
}
