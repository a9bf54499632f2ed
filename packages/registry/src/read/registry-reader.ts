import type { Entry, EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';

export interface PublishedRegistry {
  readonly id: number;
  readonly name: string;
  readonly claims: ResourceClaims;
  /** Claims of readers without a token. Undefined when the registry requires one. */
  readonly publicClaims: ResourceClaims | undefined;
  /** Names of the registry's sources, highest priority first. */
  readonly sources: readonly string[];
  /**
   * Changes with everything that readers can see. Unique across databases and restarts, so usable in cache
   * keys and ETags.
   */
  readonly epoch: string;
}

/** All registries and the distinct claims objects of all entries, at one point in time. */
export interface Catalog {
  readonly registries: ReadonlyMap<string, PublishedRegistry>;
  /** Distinct claims objects (visibility classes) by id. */
  readonly claimSets: ReadonlyMap<number, ResourceClaims>;
}

/** Ids of the claims objects that the caller satisfies; `all` when claims are not compared. */
export type VisibleClasses = 'all' | readonly number[];

/** Position in a list: the last row of the previous page. */
export interface RowKey {
  readonly name: string;
  readonly version: string;
}

export interface ListQuery {
  readonly type: EntryType;
  /** Rows on the page, 1 to 1,000. */
  readonly limit: number;
  readonly after?: RowKey;
  /** Case-insensitive substring of name, title or description. */
  readonly search?: string;
  readonly updatedSince?: Date;
  /** `latest`, an exact version, or undefined for all. */
  readonly version?: string;
  /** Whether to include rows with status `deleted`. Default: false. */
  readonly includeDeleted?: boolean;
  readonly statuses?: readonly EntryStatus[];
}

export interface VersionRow {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly claims: ResourceClaims;
  readonly status: EntryStatus;
  readonly statusMessage: string | undefined;
  readonly statusChangedAt: string;
  readonly publishedAt: string;
  /** Time of the last change, as reported by the registry that published the version. */
  readonly updatedAt: string;
  /** Marks of the registries that the version passed through, this one last. */
  readonly path: readonly string[];
  readonly isLatest: boolean;
  /** JSON text, inserted into responses without parsing. */
  readonly document: string;
}

export interface VersionPage {
  readonly rows: readonly VersionRow[];
  readonly more: boolean;
}

/** The hook `filterEntries` for one caller and registry. */
export type EntryFilter = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

/** Entry that the last sync of a source skipped, or that the source's filter rejects. */
export interface SkippedFrom {
  readonly source: string;
  /** Claims of the source. They decide who may see why it skipped an entry. */
  readonly claims: ResourceClaims;
  readonly skipped: string;
  readonly because: string;
  /**
   * `sync`: the last sync skipped the entry. `filter`: the source's filter rejects the name, even if the
   * source has no such entry.
   */
  readonly by: 'sync' | 'filter';
}

export interface ReadScope {
  readonly registry: PublishedRegistry;
  readonly visible: VisibleClasses;
  readonly filter?: EntryFilter;
  /**
   * Whether access decisions were made with `knownCatalog`. They count only if that catalog is still current.
   */
  readonly isUnconfirmed?: boolean;
}

/**
 * Every method resolves a name to the same winner, before paging: the highest-priority source whose entry the
 * caller may see.
 */
export interface RegistryReader {
  /**
   * Returns the catalog with all changes committed before this call, on any replica. Cheap enough for every
   * request.
   */
  catalog(): Promise<Catalog>;
  /**
   * The last result of `catalog`. Decisions based on it count only after `version` succeeded, or `catalog`
   * returned the same object again.
   */
  knownCatalog(): Catalog | undefined;
  /**
   * Returns a page of versions, ordered by name and then by the text of the version, both by bytes. A page
   * has fewer rows than requested only when no further rows are visible.
   */
  list(scope: ReadScope, query: ListQuery): Promise<VersionPage>;
  /** Returns the versions of an entry, highest precedence first, at most 1,000. */
  versions(
    scope: ReadScope,
    type: EntryType,
    name: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<readonly VersionRow[]>;
  /**
   * Returns a version; undefined when it is absent, hidden or deleted. Throws CatalogOutdated when the scope
   * is unconfirmed and its catalog is no longer current.
   */
  version(
    scope: ReadScope,
    type: EntryType,
    name: string,
    version: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<VersionRow | undefined>;
  /**
   * Returns the sources that have an entry, highest priority first, even those hidden from the caller:
   * explanations apply their own authorization.
   */
  sourcesOf(
    registry: PublishedRegistry,
    type: EntryType,
    name: string,
  ): Promise<readonly { readonly source: string; readonly claims: ResourceClaims }[]>;
  /**
   * Returns at most 10 skips of each source, also of sources that the caller may not see: explanations decide
   * what to disclose.
   */
  skippedOf(type: EntryType, name: string): Promise<readonly SkippedFrom[]>;
}
