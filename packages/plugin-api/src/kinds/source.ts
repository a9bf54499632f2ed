import type { ReachedHost } from '../find-route.ts';
import type { ResourceClaims } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { EntryStatus, EntryType } from '../entry.ts';
import type { Kind, KindProblem } from './kind.ts';

/** Provides entries. The registry decides about claims, visibility, schedule and storage. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list holds kinds of every block; inside one kind its block is exact
export interface SourceKind<Block extends ConfigBlock = any> extends Kind<Block, Source> {
  /**
   * Where the claims of entries come from. `source`: the source's claims, applied on every sync. `entry`:
   * each entry reports its own. `publisher`: the publish request sets them.
   */
  readonly claimsFrom: 'source' | 'entry' | 'publisher';
  /**
   * Returns what a block makes the server reach. Sources from the API need it, unless the kind has no
   * settings: their authors may reach only what the operator allows.
   */
  reaches?(config: ConfigOf<Block>): SourceReach;
  /**
   * Returns whether the content that a block describes never changes. Such a source is read once and needs no
   * `syncPolicy`. Called during validation, possibly with an invalid block. Default: false.
   */
  isFixed?(config: ConfigOf<Block>): boolean;
}

export interface SourceReach {
  /** Paths of files on the server that the source reads, as in the block. */
  readonly files: readonly string[];
  /** URLs that the source requests with `http` or `https`. */
  readonly urls: readonly string[];
  /** Hosts that the source connects to by other protocols. */
  readonly hosts?: readonly ReachedHost[];
  /**
   * Credentials of the server itself, in words, such as `the service account of the server`. Sources from the
   * API may use them only with `apiSources.allowServerCredentials`.
   */
  readonly serverCredentials?: string;
  /** Problems of settings that a source from the API must not have, such as the server's credentials. */
  readonly refused?: readonly KindProblem[];
}

export interface ReadContext {
  readonly scratch: ScratchFolder;
}

/**
 * Private local folder of a source, to cache clones and downloads. It survives restarts, is emptied when the
 * source's definition changes or its size exceeds the limit, and may be empty at any read, so it must contain
 * only what can be fetched again. It is exclusive during a read.
 */
export interface ScratchFolder {
  /** Maximum size of the folder at the end of a read, in bytes. */
  readonly maxBytes: number;
  /**
   * Returns an absolute path, with mode 0700. Throws ERR_SCRATCH_* when the server has no place for it or
   * another process holds it.
   */
  open(): Promise<string>;
}

export interface Source {
  /**
   * Yields all current entries one by one, so that memory does not grow with the source. A normal end means
   * complete: other entries are removed; for sources with scopes, see `ScopesRead`. An error keeps the last
   * good entries. Ends soon after the signal aborts. A source with `readChanges` also yields a cursor.
   */
  readEntries(signal: AbortSignal, context: ReadContext): AsyncIterable<ReadItem>;
  /**
   * Yields the changes since the cursor `since`, of this or an earlier instance, in order; for a repeated
   * version, the later one counts. Other entries stay. The last yielded cursor is stored atomically with the
   * changes; without one, the old one stays. An error changes nothing. When it cannot continue from `since`,
   * it yields `startOver`, and `readEntries` follows. Full reads also run regularly and on request.
   */
  readChanges?(since: string, signal: AbortSignal, context: ReadContext): AsyncIterable<ChangeItem>;
  /**
   * Maximum time between two full reads with `readChanges`, in milliseconds. Only a full read detects what
   * changes did not report. Default: a day.
   */
  readonly fullReadEveryMs?: number;
  /**
   * Returns a short text, such as a commit, that stays equal while `readEntries` would yield the same
   * entries. The registry then skips a sync.
   */
  fingerprint?(signal: AbortSignal, context: ReadContext): Promise<string>;
  /**
   * Yields when there may be changes, until the signal aborts. The registry then syncs at once. Of all
   * servers that share a database, one watches. When it ends or throws, it restarts after a pause, and a sync
   * covers the gap.
   */
  watch?(signal: AbortSignal): AsyncIterable<void>;
  close?(): Promise<void>;
}

/** Items of a full read. */
export type ReadItem = SourceEntry | SkippedEntry | SourceCursor | SourceRevision | ScopesRead;

/** Items of a read of changes. */
export type ChangeItem = ReadItem | RemovedEntry | StartOver;

export interface SourceEntry {
  readonly type: EntryType;
  /** The document, unchanged. The registry validates it. */
  readonly document: unknown;
  /** Only for kinds with `claimsFrom: 'entry'`. */
  readonly claims?: ResourceClaims;
  /** Place of the entry in the source's content, for messages: `data.servers[3]`. */
  readonly place?: string;
  /**
   * Part of the source that can be read separately: a file, a namespace. Either all entries have one or none
   * has. At most 500 characters.
   */
  readonly scope?: string;
  /**
   * Facts that another registry reports about this version, shown unchanged. This registry supplies absent
   * ones; a warning reports those that it cannot store.
   */
  readonly official?: OfficialFacts;
  /**
   * Marks of the registries that it passed through, the first registry first. A version that contains this
   * registry is skipped, because it originates here.
   */
  readonly path?: readonly string[];
}

/** Facts that a registry reports about a version (MCP registry API). Times are RFC 3339. */
export interface OfficialFacts {
  /** Default: the document's own. */
  readonly status?: EntryStatus;
  readonly statusMessage?: string;
  readonly statusChangedAt?: string;
  readonly publishedAt?: string;
  readonly updatedAt?: string;
  /**
   * Whether this is the latest version of its name. When several versions claim that, the highest is the
   * latest.
   */
  readonly isLatest?: boolean;
}

export interface SkippedEntry {
  readonly skipped: string;
  readonly because: string;
  readonly scope?: string;
  /** Entry that was skipped. The explanation of an access decision then shows why this entry is missing. */
  readonly entry?: { readonly type: EntryType; readonly name: string };
}

/**
 * Position from which `readChanges` can continue: a text of at most 64 KiB that every instance of the source
 * understands.
 */
export interface SourceCursor {
  readonly cursor: string;
}

/**
 * Revision of the content, such as a commit, in at most 200 characters. Shown with the source's status. Of
 * several revisions in one read, the last counts.
 */
export interface SourceRevision {
  readonly revision: string;
}

/**
 * Parts that were read. With scopes, the end of a read does not imply removals; these items do. They may be
 * yielded repeatedly.
 */
export interface ScopesRead {
  /**
   * Entries of these parts that were not yielded are removed. A part that was not fully read keeps its
   * entries.
   */
  readonly completeScopes: readonly string[];
  /**
   * All existing parts, including `completeScopes`: entries of other parts are removed. Undefined when
   * unknown.
   */
  readonly allScopes?: readonly string[];
}

/** An entry to remove. Ignored when the registry does not have it. */
export interface RemovedEntry {
  readonly removed: {
    readonly type: EntryType;
    /** `namespace/name`, for all three types. */
    readonly name: string;
    /** Version to remove. Default: all versions. */
    readonly version?: string;
  };
  /** Limits the removal to versions from this part. */
  readonly scope?: string;
}

/**
 * Says that the changes cannot be read from `since`, so that a full read must follow. The source yields
 * nothing after it.
 */
export interface StartOver {
  /** Reason for the log, as a sentence. */
  readonly startOver: string;
}
