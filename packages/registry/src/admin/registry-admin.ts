import type { AccessPolicy } from '@portolan/authorization';
import type { DocumentIssue } from '@portolan/entry-format';
import type {
  Caller,
  EntryStatus,
  EntryType,
  JsonObject,
  PortolanError,
  ResourceClaims,
} from '@portolan/plugin-api';
import type { EntryFilter, VersionRow } from '../read/registry-reader.ts';
import type { SourceToStore, StoredSource, RegistryDefinition, StoredRegistry } from './admin-definitions.ts';

export interface Actor {
  readonly policy: AccessPolicy;
  readonly caller: Caller | undefined;
}

export interface WriteOptions {
  /**
   * Revisions of the resource that the caller accepts (`If-Match`). With any other revision, the write throws
   * ERR_REVISION_CHANGED.
   */
  readonly ifMatch?: '*' | readonly string[];
  /**
   * Whether the resource must not exist yet (`If-None-Match: *`). If it exists, the write throws
   * ERR_REVISION_CHANGED.
   */
  readonly ifAbsent?: boolean;
  /** Cancels the wait for other writes. A write that has started is not cancelled. */
  readonly signal?: AbortSignal;
}

/** Definition that could only be parsed in part, with the reason in `fault`. */
export type Unusable<Definition> = Partial<Definition> & { readonly fault: PortolanError };

export interface PublishOptions extends WriteOptions {
  /** Runs the publish in a transaction that is rolled back. */
  readonly dryRun?: boolean;
}

export interface SyncRequest {
  /** Reads everything instead of only changes. */
  readonly full?: boolean;
  /** Lets the sync store a result that lost most entries. */
  readonly acceptRemovals?: boolean;
}

/**
 * Address of an entry in a managed source. For skills and plugins, a name without namespace matches the one
 * entry that has it.
 */
export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
  /** Name of the source. Required only when several managed sources have an entry of this name. */
  readonly source?: string;
}

export interface EntryClaims {
  readonly claims: ResourceClaims;
  readonly revision: string;
}

/** An entry of a managed source with all its versions, highest first. */
export interface ManagedEntryRecord {
  readonly type: EntryType;
  readonly name: string;
  readonly source: string;
  readonly claims: ResourceClaims;
  readonly revision: string;
  readonly versions: readonly {
    readonly version: string;
    readonly title: string | undefined;
    readonly description: string;
    readonly status: EntryStatus;
    readonly statusMessage: string | undefined;
    readonly isLatest: boolean;
    readonly createdAt: string;
    readonly updatedAt: string;
  }[];
}

export interface SourceEntryRecord {
  readonly type: EntryType;
  readonly name: string;
  readonly claims: ResourceClaims;
  readonly versions: readonly {
    readonly version: string;
    readonly title: string | undefined;
    readonly description: string;
    readonly status: EntryStatus;
    readonly createdAt: string;
    readonly updatedAt: string;
  }[];
}

/**
 * Item in the flat list of a registry's entries: one version in one source. Includes versions that an entry
 * in a source of higher priority hides from readers.
 */
export interface RegistryEntryRecord {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly claims: ResourceClaims;
  readonly status: EntryStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly source: string;
  /** Position of the source in the registry, from 0. */
  readonly position: number;
}

export interface PageQuery {
  /** 1 to 1000. */
  readonly limit: number;
  /** Cursor: `next` of the previous page. Throws ERR_CURSOR_INVALID for any other text. */
  readonly after?: string;
  /** Filter of the hook `filterEntries`, which removes entries from the page. */
  readonly filter?: EntryFilter;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the next page. Undefined on the last page. */
  readonly next: string | undefined;
}

export interface Publication {
  readonly type: EntryType;
  readonly document: JsonObject;
  /** Claims of the entry. An empty object counts as no claims. */
  readonly claims: ResourceClaims | undefined;
  /** Name of the managed source. May be undefined when the caller sees only one. */
  readonly source: string | undefined;
}

/** New status of one version, or of all versions when `version` is undefined. */
export interface StatusChange {
  readonly status: EntryStatus;
  /** Message for people. Null removes the stored message; undefined keeps it. */
  readonly message?: string | null;
  readonly version?: string;
}

/**
 * Each operation authorizes and executes in one transaction, so the decision still holds at the commit.
 * Hidden resources yield the same errors as absent ones. Throws ERR_STORE_BUSY after waiting too long for
 * other writes. Callers check roles themselves.
 */
export interface RegistryAdmin {
  /** Returns the sources that the actor may see, ordered by name. */
  listSources(actor: Actor): Promise<readonly StoredSource[]>;
  getSource(actor: Actor, name: string): Promise<StoredSource>;
  /**
   * Creates a source or replaces its definition. The checks, in order:
   * - the configuration file defines it (ERR_MADE_BY_FILE);
   * - claims that the actor may not set (ERR_CLAIMS_BEYOND_CALLER);
   * - hidden (ERR_SOURCE_NOT_FOUND);
   * - revision (ERR_REVISION_CHANGED);
   * - another kind, or another way to read it (ERR_KIND_CHANGED).
   * Faults before the revision form one error with the code of the first; `issues` lists each with its place.
   * A hidden source is reported alone, and `ifMatch` for an absent source yields the same
   * ERR_SOURCE_NOT_FOUND. New claims reach inheriting entries in the same transaction. Another block, filter
   * or interval makes the source due at once and invalidates a running sync. An unchanged definition changes
   * nothing, not even the revision.
   */
  putSource(
    actor: Actor,
    name: string,
    definition: SourceToStore,
    options?: WriteOptions,
  ): Promise<{ readonly created: boolean; readonly source: StoredSource }>;
  /**
   * Throws the given fault together with every reason for which `putSource` would refuse the request. The
   * given fault comes before faults of the claims.
   */
  refuseSource(
    actor: Actor,
    name: string,
    definition: Unusable<Pick<SourceToStore, 'claims'>>,
    options?: WriteOptions,
  ): Promise<never>;
  /**
   * Deletes a source. Throws ERR_SOURCE_IN_USE while a registry lists the source. The error names only
   * registries that the actor may see.
   */
  deleteSource(actor: Actor, name: string, options?: WriteOptions): Promise<void>;
  /**
   * Returns the entries of a source, ordered by type and name. Entries without claims are listed only for an
   * actor who may read unlabelled entries.
   */
  listSourceEntries(actor: Actor, name: string, page: PageQuery): Promise<Page<SourceEntryRecord>>;
  /**
   * Makes a source due at once, so that one of the replicas reads it. Throws ERR_SOURCE_NOT_SYNCED for a
   * managed source.
   */
  requestSync(actor: Actor, name: string, options?: SyncRequest): Promise<void>;

  listRegistries(actor: Actor): Promise<readonly StoredRegistry[]>;
  getRegistry(actor: Actor, name: string): Promise<StoredRegistry>;
  /**
   * Creates a registry or replaces its definition, with the checks of `putSource`. Also reports
   * ERR_SOURCE_UNKNOWN and ERR_SOURCE_FORBIDDEN, together with faults of the claims and before the revision.
   */
  putRegistry(
    actor: Actor,
    name: string,
    definition: RegistryDefinition,
    options?: WriteOptions,
  ): Promise<{ readonly created: boolean; readonly registry: StoredRegistry }>;
  /** Works like `refuseSource`, for `putRegistry`. */
  refuseRegistry(
    actor: Actor,
    name: string,
    definition: Unusable<RegistryDefinition>,
    options?: WriteOptions,
  ): Promise<never>;
  /** Deletes the registry. Its sources and entries remain. */
  deleteRegistry(actor: Actor, name: string, options?: WriteOptions): Promise<void>;
  /**
   * Returns every version in every source of a registry, ordered by type, name, position of the source and
   * version.
   */
  listRegistryEntries(actor: Actor, name: string, page: PageQuery): Promise<Page<RegistryEntryRecord>>;

  /** Validates a document and returns every issue, warnings included. Writes nothing. */
  validate(actor: Actor, type: EntryType, document: unknown): Promise<readonly DocumentIssue[]>;
  /**
   * Stores a version. The checks, in order:
   * - the request itself (`judgePublication`);
   * - remotes of other servers (ERR_DOCUMENT_INVALID);
   * - the source (ERR_NO_MANAGED_SOURCE, ERR_SOURCE_UNKNOWN, ERR_SOURCE_NOT_MANAGED, ERR_SOURCE_AMBIGUOUS,
   *   ERR_SOURCE_FORBIDDEN);
   * - claims that differ from the entry's (ERR_CLAIMS_DIFFER);
   * - the revision of the entry;
   * - an existing version (ERR_VERSION_EXISTS);
   * - 10,000 versions (ERR_TOO_MANY_VERSIONS).
   * A superAdmin, and every caller in auth-only mode, may omit the claims or change those of all versions. In
   * anonymous mode a version may omit them.
   */
  publish(actor: Actor, publication: Publication, options?: PublishOptions): Promise<VersionRow>;
  /**
   * Deletes a version. `latest` moves to the highest remaining version; deleting the last version deletes the
   * entry. The version must be exact, not `latest`. Throws ERR_ENTRY_NOT_FOUND.
   */
  deleteVersion(actor: Actor, entry: EntryAddress, version: string, options?: WriteOptions): Promise<void>;
  /**
   * Changes the status of versions and returns them, highest first. `latest` moves if necessary (MCP registry
   * protocol, status changes). The checks, in order: invalid status or message (ERR_STATUS_INVALID), hidden
   * or absent (ERR_ENTRY_NOT_FOUND), revision, no effect (ERR_STATUS_INVALID).
   */
  setStatus(
    actor: Actor,
    entry: EntryAddress,
    change: StatusChange,
    options?: WriteOptions,
  ): Promise<readonly VersionRow[]>;
  /**
   * Returns an entry with all versions, including withdrawn ones. Throws ERR_ENTRY_NOT_FOUND when there is
   * none or the filter rejects all versions.
   */
  getEntry(actor: Actor, entry: EntryAddress, filter?: EntryFilter): Promise<ManagedEntryRecord>;
  getEntryClaims(actor: Actor, entry: EntryAddress): Promise<EntryClaims>;
  /**
   * Replaces the claims of every version of an entry. Checks first whether the actor may set the claims
   * (ERR_CLAIMS_BEYOND_CALLER), then whether the entry exists (ERR_ENTRY_NOT_FOUND).
   */
  setEntryClaims(
    actor: Actor,
    entry: EntryAddress,
    claims: ResourceClaims,
    options?: WriteOptions,
  ): Promise<EntryClaims>;
}
