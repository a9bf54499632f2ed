import type { AccessPolicy } from '@portolan/authorization';
import type { DocumentIssue } from '@portolan/entry-format';
import type { FilterConfig } from '@portolan/kernel';
import type {
  Caller,
  EntryStatus,
  EntryType,
  JsonObject,
  PortolanError,
  ResourceClaims,
  SourceKind,
} from '@portolan/plugin-api';
import type { EntryFilter, VersionRow } from '../read/registry-reader.ts';
import type { SyncStatus } from '../store/sync-status.ts';

/** Who asks, and by which rules it is decided. */
export interface Actor {
  readonly policy: AccessPolicy;
  readonly caller: Caller | undefined;
}

/** What a write may rest on. */
export interface WriteOptions {
  /** Revisions of which the stored one has to be one (`If-Match`); `*` is any. Throws ERR_REVISION_CHANGED otherwise. */
  readonly ifMatch?: '*' | readonly string[];
  /** Only when nothing is there yet (`If-None-Match: *`). Throws ERR_REVISION_CHANGED otherwise. */
  readonly ifAbsent?: boolean;
  /** The write is given up while it still waits for others; one that has begun is finished. */
  readonly signal?: AbortSignal;
}

/** A definition that cannot be used, and what of it can be read. */
export type Unusable<Definition> = Partial<Definition> & { readonly fault: PortolanError };

export interface PublishOptions extends WriteOptions {
  /**
   * Judged by everything a publish is judged by, in the same transaction, which is
   * then rolled back: throws what publishing would throw, or answers with the row
   * it would have stored.
   */
  readonly dryRun?: boolean;
}

/** How the next sync of a source reads and stores. */
export interface SyncRequest {
  /** Whether it reads everything, changed or not. */
  readonly full?: boolean;
  /** Whether it takes over a read that loses most entries. */
  readonly acceptRemovals?: boolean;
}

/** A source as whoever makes it defines it; the block is checked by then, and holds no secrets. */
export interface SourceDefinition {
  readonly kind: string;
  readonly claimsFrom: SourceKind['claimsFrom'];
  readonly block: JsonObject;
  readonly filter: FilterConfig | undefined;
  readonly intervalMs: number | undefined;
  /** Whether a sync may take most entries away. Left out: no. */
  readonly allowShrink?: boolean | undefined;
  readonly claims: ResourceClaims;
}

/** A definition as it is handed over to be stored. */
export interface SourceToStore extends SourceDefinition {
  /**
   * Groups of keys that exclude each other, of which each block of the kind has
   * one; left out where there are none. A source keeps the one it was made with.
   */
  readonly variants?: readonly (readonly string[])[];
}

export interface StoredSource extends SourceDefinition {
  readonly id: number;
  readonly name: string;
  readonly creationType: 'CONFIG' | 'API';
  readonly status: SyncStatus;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Another one after every change of the definition. */
  readonly revision: string;
}

export interface RegistryDefinition {
  /** Names, first one first; at least one, each once. */
  readonly sources: readonly string[];
  readonly claims: ResourceClaims;
}

export interface StoredRegistry extends RegistryDefinition {
  readonly name: string;
  readonly creationType: 'CONFIG' | 'API';
  /** Where it may be read without a token: what such a reader counts as holding. */
  readonly publicClaims: ResourceClaims | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: string;
}

/** One entry of a managed source. For skills and plugins a bare name stands for the one entry that has it. */
export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
  /** Needed only where several managed sources have it. */
  readonly source?: string;
}

export interface EntryClaims {
  readonly claims: ResourceClaims;
  readonly revision: string;
}

/** One entry of a managed source with all its versions, highest first. */
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

/** What stands in the list of a source's entries: one entry with its versions, highest first. */
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

/** One version in the flat list of a registry's entries: of every source, not shadowed. */
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
  /** Of the source in the registry, from 0. */
  readonly position: number;
}

export interface PageQuery {
  /** 1 to 1000. */
  readonly limit: number;
  /** What `next` of the page before was; ERR_CURSOR_INVALID for anything else. */
  readonly after?: string;
  /** Taken from the hook `filterEntries`: narrows what is listed. */
  readonly filter?: EntryFilter;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Stands for the last item; undefined when nothing follows. */
  readonly next: string | undefined;
}

/** A version to publish. The claims are checked for their form already. */
export interface Publication {
  readonly type: EntryType;
  readonly document: JsonObject;
  /** undefined: none were given. An empty object counts as none. */
  readonly claims: ResourceClaims | undefined;
  /** Name of a managed source; left out where the caller sees only one. */
  readonly source: string | undefined;
}

/** A change of status; without `version`, of all versions of the entry. */
export interface StatusChange {
  readonly status: EntryStatus;
  /** Text for people; null takes it away, left out keeps it. */
  readonly message?: string | null;
  readonly version?: string;
}

/**
 * The admin and publish operations, each one transaction in which it is also
 * decided whether the actor may: what was decided still holds when it is done.
 * Hidden resources are told like absent ones (ERR_SOURCE_NOT_FOUND,
 * ERR_REGISTRY_NOT_FOUND, ERR_ENTRY_NOT_FOUND, with equal messages). Throws
 * ERR_STORE_BUSY when others kept it waiting too long. Roles are not looked at here.
 */
export interface RegistryAdmin {
  /** Those the actor may see, by name. */
  listSources(actor: Actor): Promise<readonly StoredSource[]>;
  getSource(actor: Actor, name: string): Promise<StoredSource>;
  /**
   * Makes a source, or gives it a whole new definition. In order: from the configuration
   * file (ERR_MADE_BY_FILE), claims the actor may not give (ERR_CLAIMS_BEYOND_CALLER), hidden
   * (ERR_SOURCE_NOT_FOUND), revision (ERR_REVISION_CHANGED), another kind
   * or another way to read it (ERR_KIND_CHANGED). What is found before the revision is one error with the code of the
   * first, each with its place under `issues`, and with a name that is taken where `ifAbsent` is said;
   * hidden is told alone. `ifMatch` for a source that does not exist is
   * ERR_SOURCE_NOT_FOUND, as for a hidden one. Claims reach the entries of a
   * source that labels them in the same transaction; another block, filter or
   * interval makes it due at once, and a sync of the old definition writes nothing any more.
   * The same definition once more changes nothing, not even the revision.
   */
  putSource(
    actor: Actor,
    name: string,
    definition: SourceToStore,
    options?: WriteOptions,
  ): Promise<{ readonly created: boolean; readonly source: StoredSource }>;
  /** Throws what `putSource` would refuse beside the fault that was found, in its order: the fault stands before the claims. */
  refuseSource(
    actor: Actor,
    name: string,
    definition: Unusable<Pick<SourceToStore, 'claims'>>,
    options?: WriteOptions,
  ): Promise<never>;
  /** Also its entries. ERR_SOURCE_IN_USE while a registry names it; only registries the actor may see are told. */
  deleteSource(actor: Actor, name: string, options?: WriteOptions): Promise<void>;
  /** By type and name. Rows without claims only for whoever may read unlabelled ones (decision 2.17). */
  listSourceEntries(actor: Actor, name: string, page: PageQuery): Promise<Page<SourceEntryRecord>>;
  /** Makes the source due at once, on whichever replica comes first. ERR_SOURCE_NOT_SYNCED for a managed one. */
  requestSync(actor: Actor, name: string, options?: SyncRequest): Promise<void>;

  listRegistries(actor: Actor): Promise<readonly StoredRegistry[]>;
  getRegistry(actor: Actor, name: string): Promise<StoredRegistry>;
  /**
   * As for sources; a source that does not exist (ERR_SOURCE_UNKNOWN) and one the actor may not see
   * (ERR_SOURCE_FORBIDDEN) are told beside the claims, before the revision.
   */
  putRegistry(
    actor: Actor,
    name: string,
    definition: RegistryDefinition,
    options?: WriteOptions,
  ): Promise<{ readonly created: boolean; readonly registry: StoredRegistry }>;
  /** As `refuseSource`. */
  refuseRegistry(
    actor: Actor,
    name: string,
    definition: Unusable<RegistryDefinition>,
    options?: WriteOptions,
  ): Promise<never>;
  /** Sources and entries stay. */
  deleteRegistry(actor: Actor, name: string, options?: WriteOptions): Promise<void>;
  /** By type, name, position and version order, every version of every linked source. */
  listRegistryEntries(actor: Actor, name: string, page: PageQuery): Promise<Page<RegistryEntryRecord>>;

  /** All that publishing would find wrong with a document, warnings included. Writes nothing. */
  validate(actor: Actor, type: EntryType, document: unknown): Promise<readonly DocumentIssue[]>;
  /**
   * Stores a version and answers with it. In order: what the request alone tells
   * (`judgePublication`), remotes of other servers (ERR_DOCUMENT_INVALID), source (ERR_NO_MANAGED_SOURCE, ERR_SOURCE_UNKNOWN,
   * ERR_SOURCE_NOT_MANAGED, ERR_SOURCE_AMBIGUOUS, ERR_SOURCE_FORBIDDEN), claims unlike the entry's
   * (ERR_CLAIMS_DIFFER), revision of the entry, version there already (ERR_VERSION_EXISTS), 10,000
   * versions (ERR_TOO_MANY_VERSIONS). A superAdmin's version may leave the claims out, or give all
   * versions new ones (decision 2.6), and everybody's in auth-only mode; in anonymous mode it may leave them out.
   */
  publish(actor: Actor, publication: Publication, options?: PublishOptions): Promise<VersionRow>;
  /**
   * Physical; `latest` moves to the highest that is left, the entry goes with its last version. `latest` is
   * no version here. A version that is not there is told like an entry that is not (ERR_ENTRY_NOT_FOUND).
   */
  deleteVersion(actor: Actor, entry: EntryAddress, version: string, options?: WriteOptions): Promise<void>;
  /**
   * The versions it has changed, highest first; `latest` moves (MCP registry protocol, status changes). In order:
   * a status or message that cannot be (ERR_STATUS_INVALID), hidden or absent (ERR_ENTRY_NOT_FOUND), revision,
   * nothing that would change (ERR_STATUS_UNCHANGED).
   */
  setStatus(
    actor: Actor,
    entry: EntryAddress,
    change: StatusChange,
    options?: WriteOptions,
  ): Promise<readonly VersionRow[]>;
  /** An entry with its versions, withdrawn ones too; ERR_ENTRY_NOT_FOUND where the filter leaves none. */
  getEntry(actor: Actor, entry: EntryAddress, filter?: EntryFilter): Promise<ManagedEntryRecord>;
  getEntryClaims(actor: Actor, entry: EntryAddress): Promise<EntryClaims>;
  /** New claims for every version. ERR_CLAIMS_BEYOND_CALLER before ERR_ENTRY_NOT_FOUND. */
  setEntryClaims(
    actor: Actor,
    entry: EntryAddress,
    claims: ResourceClaims,
    options?: WriteOptions,
  ): Promise<EntryClaims>;
}
