import type { Entry, EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';

/** A registry as the store has it at one moment. */
export interface PublishedRegistry {
  readonly id: number;
  readonly name: string;
  readonly claims: ResourceClaims;
  /** Where it may be read without a token: what such a reader counts as holding. */
  readonly publicClaims: ResourceClaims | undefined;
  /** Names of its sources, first one first. */
  readonly sources: readonly string[];
  /**
   * Changes whenever anything that can be read from this registry changes:
   * entries, claims, sources, order. Unique over all databases and restarts, so
   * that it may stand in a cache key or an ETag.
   */
  readonly epoch: string;
}

/** All registries, and the distinct claims objects of all entries, at one moment. */
export interface Catalog {
  readonly registries: ReadonlyMap<string, PublishedRegistry>;
  /** Distinct claims objects (visibility classes) by id. */
  readonly claimSets: ReadonlyMap<number, ResourceClaims>;
}

/** Ids of the claims objects a caller may see; `all` where claims are not looked at. */
export type VisibleClasses = 'all' | readonly number[];

/** Position of a row in a list: the last one already seen. */
export interface RowKey {
  readonly name: string;
  readonly version: string;
}

export interface ListQuery {
  readonly type: EntryType;
  /** Rows on the page, 1 to 1000. */
  readonly limit: number;
  readonly after?: RowKey;
  /** Case-insensitive substring of name, title or description; no wildcards. */
  readonly search?: string;
  /** Only rows last changed after this instant. */
  readonly updatedSince?: Date;
  /** `latest`, or an exact version; left out, all versions. */
  readonly version?: string;
  /** Rows with status `deleted` are left out unless true. */
  readonly includeDeleted?: boolean;
  /** Only rows with one of these statuses. */
  readonly statuses?: readonly EntryStatus[];
}

/** One version of one entry as it is stored. Times are ISO 8601 in UTC with milliseconds. */
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
  /** Of the last change, as the registry says where the version was made. */
  readonly updatedAt: string;
  /** Marks of the registries that it came through: where it was made first, this one last. */
  readonly path: readonly string[];
  readonly isLatest: boolean;
  /** The published document as JSON text, to be put into answers without parsing it. */
  readonly document: string;
}

export interface VersionPage {
  readonly rows: readonly VersionRow[];
  /** Whether anything visible follows the last row. */
  readonly more: boolean;
}

/** Narrows entries; what the hook `filterEntries` does for one caller and registry. */
export type EntryFilter = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

export interface ReadScope {
  readonly registry: PublishedRegistry;
  readonly visible: VisibleClasses;
  /** Left out: nothing taps the hook. */
  readonly filter?: EntryFilter;
  /** Whether all this was decided on `knownCatalog`, so that it counts only if that is the newest one. */
  readonly isUnconfirmed?: boolean;
}

/**
 * Reads what consumers see. In every answer the winner of a name (the source
 * placed first among those whose entry is visible) is computed before paging,
 * and is the same for lists, versions, one version and `latest` (decision 2.4).
 */
export interface RegistryReader {
  /** The catalog as of now: never older than this call, on any replica. Cheap enough for every request. */
  catalog(): Promise<Catalog>;
  /**
   * The catalog that `catalog` gave last, where `version` tells by the way whether
   * it is still the newest one. What is decided on it counts only after `version`
   * has answered for it, or `catalog` has given the same object again.
   */
  knownCatalog(): Catalog | undefined;
  /** Ordered by name, then version text, both by bytes. Pages are full while more is visible. */
  list(scope: ReadScope, query: ListQuery): Promise<VersionPage>;
  /** All versions, highest precedence first, at most 1000; empty when nothing is visible. */
  versions(
    scope: ReadScope,
    type: EntryType,
    name: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<readonly VersionRow[]>;
  /**
   * One version, or the one `latest` stands for; undefined when absent, hidden
   * or deleted. Throws CatalogOutdated for an unconfirmed scope when its catalog is not the newest.
   */
  version(
    scope: ReadScope,
    type: EntryType,
    name: string,
    version: string,
    options?: { readonly includeDeleted?: boolean },
  ): Promise<VersionRow | undefined>;
  /**
   * Which sources of a registry have an entry of this name, first one first,
   * whoever may see it: for explanations, which decide themselves what to tell.
   */
  sourcesOf(
    registry: PublishedRegistry,
    type: EntryType,
    name: string,
  ): Promise<readonly { readonly source: string; readonly claims: ResourceClaims }[]>;
}
