import type { Entry, EntryStatus, EntryType, JsonObject, ResourceClaims } from '@portolan/plugin-api';
import {
  type Catalog,
  CatalogOutdated,
  type ListQuery,
  type PublishedRegistry,
  type ReadScope,
  type RegistryReader,
  type SkippedFrom,
  type VersionPage,
  type VersionRow,
} from '@portolan/registry';

export interface RowOptions {
  readonly type?: EntryType;
  readonly name: string;
  readonly version?: string;
  readonly isLatest?: boolean;
  readonly status?: EntryStatus;
  readonly statusMessage?: string;
  readonly updatedAt?: string;
  readonly document?: JsonObject;
}

/** One stored row; the document is made up when none is given. */
export function row(options: RowOptions): VersionRow {
  const { name, type = 'server', version = '1.0.0', updatedAt = '2026-01-10T12:00:00.000Z' } = options;
  const [namespace = '', bare = ''] = name.split('/');
  const identity = type === 'server' ? { name } : { namespace, name: bare };
  const document = options.document ?? { ...identity, description: `About ${name}`, version };
  return {
    type,
    name,
    version,
    source: 'catalog',
    claims: {},
    status: options.status ?? 'active',
    statusMessage: options.statusMessage,
    statusChangedAt: '2026-01-10T12:00:00.000Z',
    publishedAt: '2026-01-10T12:00:00.000Z',
    updatedAt,
    path: ['here'],
    isLatest: options.isLatest ?? true,
    document: JSON.stringify(document),
  };
}

/** A registry as a test describes it. */
export interface MemoryRegistry {
  readonly rows: readonly VersionRow[];
  readonly claims?: ResourceClaims;
  readonly publicClaims?: ResourceClaims;
}

/** A reader over rows in memory that keeps the order and the paging of the real one, and counts what it is asked. */
export class MemoryReader implements RegistryReader {
  readonly calls = { catalog: 0, list: 0, versions: 0, version: 0 };
  /** Awaited by every read of rows, so that a test can hold them up or let them fail. */
  gate: () => Promise<void> = () => Promise.resolve();
  readonly queries: ListQuery[] = [];
  /** What it goes on with before it asks; undefined as with an engine that tells the change at once. */
  known: Catalog | undefined;
  /** Skips that every look-up returns. */
  skipped: readonly SkippedFrom[] = [];
  #registries = new Map<string, MemoryRegistry>();
  #catalog: Catalog = { registries: new Map(), claimSets: new Map() };
  #epoch = 0;

  constructor(registries: Readonly<Record<string, MemoryRegistry>>) {
    for (const [name, registry] of Object.entries(registries)) this.set(name, registry);
  }

  /** Replaces a registry, as a sync would: everything gets a new epoch. */
  set(name: string, registry: MemoryRegistry): void {
    this.#registries.set(name, registry);
    this.#epoch += 1;
    const entries = [...this.#registries].map(
      ([key, { claims = {}, publicClaims }], id): [string, PublishedRegistry] => [
        key,
        { id, name: key, claims, publicClaims, sources: ['catalog'], epoch: `test.${this.#epoch}` },
      ],
    );
    this.#catalog = { registries: new Map(entries), claimSets: new Map([[1, {}]]) };
  }

  catalog(): Promise<Catalog> {
    this.calls.catalog += 1;
    return Promise.resolve(this.#catalog);
  }

  knownCatalog(): Catalog | undefined {
    return this.known;
  }

  async list(scope: ReadScope, query: ListQuery): Promise<VersionPage> {
    this.calls.list += 1;
    this.queries.push(query);
    await this.gate();
    const rows = (await this.#rows(scope, query.type)).filter((candidate) => matches(candidate, query));
    return { rows: rows.slice(0, query.limit), more: rows.length > query.limit };
  }

  async versions(
    scope: ReadScope,
    type: EntryType,
    name: string,
    options: { readonly includeDeleted?: boolean } = {},
  ): Promise<readonly VersionRow[]> {
    this.calls.versions += 1;
    await this.gate();
    const rows = (await this.#rows(scope, type)).filter((candidate) => candidate.name === name);
    return rows
      .filter((candidate) => options.includeDeleted === true || candidate.status !== 'deleted')
      .toReversed();
  }

  async version(
    scope: ReadScope,
    type: EntryType,
    name: string,
    version: string,
    options: { readonly includeDeleted?: boolean } = {},
  ): Promise<VersionRow | undefined> {
    this.calls.version += 1;
    if (scope.isUnconfirmed === true && this.known !== this.#catalog) throw new CatalogOutdated();
    const rows = await this.versions(scope, type, name, options);
    return rows.find((candidate) =>
      version === 'latest' ? candidate.isLatest : candidate.version === version,
    );
  }

  async sourcesOf(registry: PublishedRegistry, type: EntryType, name: string) {
    const rows = await this.#rows({ registry, visible: 'all' }, type);
    const versionRow = rows.find((candidate) => candidate.name === name);
    return versionRow === undefined ? [] : [{ source: versionRow.source, claims: versionRow.claims }];
  }

  skippedOf(): Promise<readonly SkippedFrom[]> {
    return Promise.resolve(this.skipped);
  }

  async #rows(scope: ReadScope, type: EntryType): Promise<readonly VersionRow[]> {
    const all = this.#registries.get(scope.registry.name)?.rows ?? [];
    const rows = all.filter((candidate) => candidate.type === type).toSorted(byKey);
    if (scope.filter === undefined) return rows;
    const byEntry = new Map(rows.map((candidate) => [toEntry(candidate), candidate]));
    const remainingScope = await scope.filter([...byEntry.keys()]);
    return remainingScope.flatMap((entry) => byEntry.get(entry) ?? []);
  }
}

function matches(candidate: VersionRow, query: ListQuery): boolean {
  const { after, search, version, updatedSince, statuses, includeDeleted } = query;
  if (after !== undefined && byKey(candidate, after) <= 0) return false;
  if (search !== undefined && !candidate.document.toLowerCase().includes(search.toLowerCase())) return false;
  if (version === 'latest' ? !candidate.isLatest : version !== undefined && candidate.version !== version)
    return false;
  if (updatedSince !== undefined && new Date(candidate.updatedAt) <= updatedSince) return false;
  if (statuses !== undefined && !statuses.includes(candidate.status)) return false;
  return includeDeleted === true || candidate.status !== 'deleted';
}

function byKey(a: { name: string; version: string }, b: { name: string; version: string }): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.version === b.version) return 0;
  return a.version < b.version ? -1 : 1;
}

function toEntry(candidate: VersionRow): Entry {
  const { type, name, version, source, claims, status, isLatest } = candidate;
  const document = JSON.parse(candidate.document) as JsonObject; // written by `row`
  return { type, name, version, source, claims, status, isLatest, document };
}
