import type { Entry, EntryType, JsonObject } from '@portolan/plugin-api';
import { pathOf } from '../store/origin-path.ts';
import type { Store } from '../store/open-store.ts';
import { CatalogCache, type KnownCatalog, type KnownRegistry } from './catalog-cache.ts';
import { EntryLookups, type LookupResult } from './entry-lookups.ts';
import { EntryStatements } from './entry-query.ts';
import { findSkipped } from './find-skipped.ts';
import { type NarrowedSources, narrowSources } from './narrow-sources.ts';
import { type ListLimits, ListStatements, MAX_MERGED, MAX_SORTED, PEEK_ROWS } from './list-statements.ts';
import type {
  Catalog,
  EntryFilter,
  ListQuery,
  PublishedRegistry,
  ReadScope,
  RegistryReader,
  RowKey,
  VersionPage,
  VersionRow,
  VisibleClasses,
} from './registry-reader.ts';
import type { RowQuery, Strategy } from './row-query.ts';
import type { StoredRow } from './stored-row.ts';

/** Signals that a decision used an outdated catalog. The reader then discards the decision and retries. */
export class CatalogOutdated extends Error {
  constructor() {
    super('the catalog has changed since it was read');
  }
}

/** Maximum number of versions of one entry in a response. */
const MAX_VERSIONS = 1000;
/** Maximum number of rows per fetch while a filter rejects rows. */
const MAX_FETCHED = 1000;

export function createRegistryReader(store: Store, limits: Partial<ListLimits> = {}): RegistryReader {
  return new StoreReader(store, {
    peekRows: PEEK_ROWS,
    maxSorted: MAX_SORTED,
    maxMerged: MAX_MERGED,
    ...limits,
  });
}

class StoreReader implements RegistryReader {
  readonly #store: Store;
  readonly #limits: ListLimits;
  readonly #catalog: CatalogCache;
  readonly #lists: ListStatements;
  readonly #entries: EntryStatements;
  readonly #lookups: EntryLookups;

  constructor(store: Store, limits: ListLimits) {
    this.#store = store;
    this.#limits = limits;
    this.#catalog = new CatalogCache(store);
    this.#lists = new ListStatements(store.reading, store.engine, limits);
    this.#entries = new EntryStatements(store.reading);
    this.#lookups = new EntryLookups(store, this.#entries);
  }

  catalog(): Promise<Catalog> {
    return this.#catalog.fresh();
  }

  knownCatalog(): Catalog | undefined {
    return this.#catalog.unconfirmed();
  }

  async list(scope: ReadScope, query: ListQuery): Promise<VersionPage> {
    const { registry, catalog } = await this.#known(scope);
    const sources = registry && narrowSources(registry, scope.visible);
    if (sources === undefined || sources.sourceIds.length === 0) return { rows: [], more: false };
    const requested = { ...query, ...sources, visible: scope.visible };
    const fetch = async (after: RowKey | undefined, limit: number): Promise<readonly VersionRow[]> => {
      const rows = await this.#fetch({ ...requested, limit, ...(after === undefined ? {} : { after }) });
      return rows.map((row) => toVersionRow(row, query.type, catalog));
    };
    return scope.filter === undefined
      ? plainPage(await fetch(query.after, query.limit + 1), query.limit)
      : filteredPage(fetch, scope.filter, query);
  }

  async versions(
    scope: ReadScope,
    type: EntryType,
    name: string,
    options: { readonly includeDeleted?: boolean } = {},
  ): Promise<readonly VersionRow[]> {
    return this.#ofEntry(scope, type, name, { includeDeleted: options.includeDeleted === true });
  }

  async version(
    scope: ReadScope,
    type: EntryType,
    name: string,
    version: string,
    options: { readonly includeDeleted?: boolean } = {},
  ): Promise<VersionRow | undefined> {
    const includeDeleted = options.includeDeleted === true;
    const { registry, catalog } = await this.#known(scope);
    const { sourceIds } = registry === undefined ? { sourceIds: [] } : narrowSources(registry, scope.visible);
    const requested = { type, name, version, includeDeleted };
    const { rows, change } =
      sourceIds.length === 0 ? NOTHING_FOUND : await this.#lookups.one(sourceIds, requested);
    if (scope.isUnconfirmed === true && change !== catalog.change) await this.#confirm(catalog);
    const winner = winnerOf(rows, sourceIds, scope.visible);
    if (winner === undefined || winner.document === null) return undefined;
    const versionRow = toVersionRow(winner, type, catalog);
    if (scope.filter === undefined) return versionRow;
    const [stored] = await keepFiltered([versionRow], scope.filter);
    return stored;
  }

  async sourcesOf(registry: PublishedRegistry, type: EntryType, name: string) {
    const { registry: known, catalog } = await this.#known({ registry });
    const { sourceIds } = known === undefined ? { sourceIds: [] } : narrowSources(known, 'all');
    if (sourceIds.length === 0) return [];
    const rows = await this.#named(sourceIds, type, name);
    return sourceIds.flatMap((id) => {
      const row = rows.find((one) => one.source_id === id);
      if (row === undefined) return [];
      const source = catalog.sourceNames.get(id) ?? '';
      return [{ source, claims: catalog.claimSets.get(row.claim_set_id) ?? {} }];
    });
  }

  async skippedOf(type: EntryType, name: string) {
    return await findSkipped(this.#store.reading, type, name);
  }

  async #ofEntry(
    scope: ReadScope,
    type: EntryType,
    name: string,
    requested: { readonly includeDeleted: boolean },
  ): Promise<readonly VersionRow[]> {
    const { registry, catalog } = await this.#known(scope);
    const sources = registry && narrowSources(registry, scope.visible);
    if (sources === undefined || sources.sourceIds.length === 0) return [];
    const entry = await this.#winner(sources, scope.visible, type, name);
    if (entry === undefined) return [];
    const query = this.#entries.versions(entry, { ...requested, limit: MAX_VERSIONS });
    const { rows } = await this.#store.reading.executeQuery(query);
    const versionRows = rows.map((row) => toVersionRow(row, type, catalog));
    return scope.filter === undefined ? versionRows : keepFiltered(versionRows, scope.filter);
  }

  async #winner(
    { sourceIds }: NarrowedSources,
    visible: VisibleClasses,
    type: EntryType,
    name: string,
  ): Promise<number | undefined> {
    const rows = await this.#named(sourceIds, type, name);
    const seen = rows.filter((row) => visible === 'all' || visible.includes(row.claim_set_id));
    const bySource = new Map(seen.map((row) => [row.source_id, row.id]));
    const first = sourceIds.find((source) => bySource.has(source));
    return first === undefined ? undefined : bySource.get(first);
  }

  async #named(sourceIds: readonly number[], type: EntryType, name: string) {
    const query = this.#entries.named(sourceIds.length, { sourceIds, type, name });
    return (await this.#store.reading.executeQuery(query)).rows;
  }

  /** Fetches rows with the strategy that reads little more than the page needs. */
  async #fetch(requested: RowQuery & NarrowedSources): Promise<readonly StoredRow[]> {
    const run = async (strategy: Strategy) =>
      (await this.#store.reading.executeQuery(this.#lists.rows(requested, strategy))).rows;
    if (requested.sourceIds.length > this.#limits.maxMerged) return run('ranked');
    const finders = this.#lists.findersFor(requested);
    // A single source without filters needs no ranking.
    const isPlain = finders.length === 0 && requested.sourceIds.length === 1;
    if (isPlain || requested.versionCount <= this.#limits.peekRows) return run('walk');
    const ahead = await run('peek');
    if (ahead.length >= requested.limit) return ahead;
    for (const finder of finders) {
      const { rows } = await this.#store.reading.executeQuery(this.#lists.count(requested, finder));
      if ((rows[0]?.found ?? 0) <= this.#limits.maxSorted) return run(finder);
    }
    return run('walk');
  }

  /**
   * Returns the registry of a scope from this reader's current catalog. Its sources may have changed since
   * the scope was created.
   */
  async #known(
    scope: Pick<ReadScope, 'registry' | 'isUnconfirmed'>,
  ): Promise<{ readonly registry: KnownRegistry | undefined; readonly catalog: KnownCatalog }> {
    const knownCatalog = this.#catalog.holding(scope.registry);
    if (knownCatalog === undefined && scope.isUnconfirmed === true) throw new CatalogOutdated();
    const catalog = knownCatalog ?? (await this.#catalog.fresh());
    return { registry: catalog.registries.get(scope.registry.name), catalog };
  }

  /** Throws CatalogOutdated when a change was committed after this catalog. */
  async #confirm(catalog: KnownCatalog): Promise<void> {
    if ((await this.#catalog.fresh()) !== catalog) throw new CatalogOutdated();
  }
}

const NOTHING_FOUND: LookupResult = { rows: [], change: undefined };

function winnerOf<Row extends { readonly entry_source: number; readonly entry_class: number }>(
  rows: readonly Row[],
  sourceIds: readonly number[],
  visible: VisibleClasses,
): Row | undefined {
  const seen = rows.filter((row) => visible === 'all' || visible.includes(row.entry_class));
  if (seen.length < 2) return seen[0];
  const first = sourceIds.find((source) => seen.some((row) => row.entry_source === source));
  return seen.find((row) => row.entry_source === first);
}

function plainPage(rows: readonly VersionRow[], limit: number): VersionPage {
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** Fetches rows until the filter has accepted a full page, or no rows follow. */
async function filteredPage(
  fetch: (after: RowKey | undefined, limit: number) => Promise<readonly VersionRow[]>,
  filter: EntryFilter,
  query: ListQuery,
): Promise<VersionPage> {
  const versionRows: VersionRow[] = [];
  let { after } = query;
  for (let size = query.limit + 1; ; size = Math.min(size * 2, MAX_FETCHED)) {
    const rows = await fetch(after, size);
    versionRows.push(...(await keepFiltered(rows, filter)));
    if (versionRows.length > query.limit || rows.length < size) return plainPage(versionRows, query.limit);
    const last = rows.at(-1);
    if (last !== undefined) after = { name: last.name, version: last.version };
  }
}

async function keepFiltered(
  rows: readonly VersionRow[],
  filter: EntryFilter,
): Promise<readonly VersionRow[]> {
  if (rows.length === 0) return [];
  const byEntry = new Map(rows.map((row) => [toEntry(row), row]));
  const entries = new Set(await filter([...byEntry.keys()]));
  return [...byEntry].filter(([entry]) => entries.has(entry)).map(([, row]) => row);
}

function toEntry(row: VersionRow): Entry {
  return {
    type: row.type,
    name: row.name,
    version: row.version,
    source: row.source,
    claims: row.claims,
    status: row.status,
    isLatest: row.isLatest,
    // SAFETY: the store contains only JSON objects.
    document: JSON.parse(row.document) as JsonObject,
  };
}

function toVersionRow(row: StoredRow, type: EntryType, catalog: KnownCatalog): VersionRow {
  return {
    type,
    name: row.name,
    version: row.version,
    source: catalog.sourceNames.get(row.source_id) ?? '',
    claims: catalog.claimSets.get(row.claim_set_id) ?? {},
    status: row.status,
    statusMessage: row.status_message ?? undefined,
    statusChangedAt: row.status_changed_at,
    publishedAt: row.published_at,
    updatedAt: row.carried_updated_at ?? row.updated_at,
    path: pathOf(row.origin, catalog.instance),
    isLatest: row.is_latest === 1,
    document: row.document,
  };
}
