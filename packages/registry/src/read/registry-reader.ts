import type { Entry, EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';

/** A registry at one point in time. */
export interface PublishedRegistry {
  readonly id: number;
  readonly name: string;
  readonly claims: ResourceClaims;
  /** Claims attributed to readers without a token. Undefined when the registry requires one. */
  readonly publicClaims: ResourceClaims | undefined;
  /** Names of its sources, highest priority first. */
  readonly sources: readonly string[];
  /**
   * Changes with everything that readers of this registry can see: entries, claims, sources, order. Unique
   * across databases and restarts, so it can be part of a cache key or an ETag.
   */
  readonly epoch: string;
}

/** All registries and the distinct claims objects of all entries, at one point in time. */
export interface Catalog {
  readonly registries: ReadonlyMap<string, PublishedRegistry>;
  /** Distinct claims objects (visibility classes) by id. */
  readonly claimSets: ReadonlyMap<number, ResourceClaims>;
}

/** Ids of the claims objects that a caller may see, or `all` when claims are not compared. */
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
  /** Case-insensitive substring of name, title or description. No wildcards. */
  readonly search?: string;
  /** Only rows whose last change is after this time. */
  readonly updatedSince?: Date;
  /** `latest` or an exact version. Undefined selects all versions. */
  readonly version?: string;
  /** Whether to include rows with status `deleted`. Default: false. */
  readonly includeDeleted?: boolean;
  /** Only rows with one of these statuses. */
  readonly statuses?: readonly EntryStatus[];
}

/** A stored version of an entry. Times are ISO 8601 in UTC with milliseconds. */
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
  /** Marks of the registries that the version passed through, from its first registry to this one. */
  readonly path: readonly string[];
  readonly isLatest: boolean;
  /** The published document as JSON text, inserted into responses without parsing. */
  readonly document: string;
}

export interface VersionPage {
  readonly rows: readonly VersionRow[];
  /** Whether visible rows follow the last one. */
  readonly more: boolean;
}

/** Filters entries, as the hook `filterEntries` does for one caller and registry. */
export type EntryFilter = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

/** A version that a source skipped in its last sync, or a name that its filter leaves out. */
export interface SkippedFrom {
  readonly source: string;
  /** Claims of the source: they decide who may see its status. */
  readonly claims: ResourceClaims;
  /** Name or place of the version. */
  readonly skipped: string;
  readonly because: string;
  /** Reason: the last sync, or the filter, which also leaves out names that the source does not have. */
  readonly by: 'sync' | 'filter';
}

export interface ReadScope {
  readonly registry: PublishedRegistry;
  readonly visible: VisibleClasses;
  /** Undefined when no plugin taps the hook. */
  readonly filter?: EntryFilter;
  /** Whether the decisions rest on `knownCatalog` and count only if that catalog is still current. */
  readonly isUnconfirmed?: boolean;
}

/**
 * Reads what consumers see. Every method resolves a name to the same winner, before paging: the
 * highest-priority source whose entry the caller may see.
 */
export interface RegistryReader {
  /**
   * Returns the current catalog, never older than this call, on any replica. Cheap enough for every request.
   */
  catalog(): Promise<Catalog>;
  /**
   * Returns the last result of `catalog` for callers whose `version` call verifies it. Decisions based on it
   * count only after `version` succeeded, or after `catalog` returned the same object again.
   */
  knownCatalog(): Catalog | undefined;
  /**
   * Returns a page of rows, ordered by name, then version text, both by bytes. Pages are full while more rows
   * are visible.
   */
  list(scope: ReadScope, query: ListQuery): Promise<VersionPage>;
  /** Returns all versions, highest precedence first, at most 1,000. Empty when none is visible. */
  versions(
    scope: ReadScope,
    type: EntryType,
    name: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<readonly VersionRow[]>;
  /**
   * Returns one version, or the one that `latest` refers to. Undefined when absent, hidden or deleted. Throws
   * CatalogOutdated when an unconfirmed scope's catalog is not current.
   */
  version(
    scope: ReadScope,
    type: EntryType,
    name: string,
    version: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<VersionRow | undefined>;
  /**
   * Returns the sources of a registry that have an entry of this name, highest priority first, regardless of
   * visibility. For explanations, which apply their own authorization.
   */
  sourcesOf(
    registry: PublishedRegistry,
    type: EntryType,
    name: string,
  ): Promise<readonly { readonly source: string; readonly claims: ResourceClaims }[]>;
  /**
   * Returns the versions of an entry that sources skipped, at most 10 of each source, and sources whose filter
   * takes no entry of the name. It includes
   * sources that the caller may not see: explanations decide what to disclose.
   */
  skippedOf(type: EntryType, name: string): Promise<readonly SkippedFrom[]>;
}
