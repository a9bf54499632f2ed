import type { ReachedHost } from '../find-route.ts';
import type { ResourceClaims } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { EntryStatus, EntryType } from '../entry.ts';
import type { Kind, KindProblem } from './kind.ts';

/**
 * Where entries come from. A source reports what it has; the registry decides
 * whose it is, who may see it, when it is read and what is kept.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list holds kinds of every block; inside one kind its block is exact
export interface SourceKind<Block extends ConfigBlock = any> extends Kind<Block, Source> {
  /**
   * Who labels the entries: the source (they inherit its claims on every sync),
   * each entry (what the source reports with it), or whoever publishes.
   */
  readonly claimsFrom: 'source' | 'entry' | 'publisher';
  /**
   * What of the server's surroundings a block leads to. Asked when a source is
   * made through the API, whose makers may reach only what the operator allows.
   * A kind without it cannot be made through the API, unless it has no settings.
   */
  reaches?(config: ConfigOf<Block>): SourceReach;
  /**
   * Whether what a source of this block has never changes unless the block does,
   * so that it is read once, and needs no `syncPolicy`. Asked while a configuration
   * is checked, perhaps about a block that is not in order; left out: it may change.
   */
  isFixed?(config: ConfigOf<Block>): boolean;
}

export interface SourceReach {
  /** Paths on the server, as they stand in the block. */
  readonly files: readonly string[];
  /** Addresses that are asked by `http` or `https`. */
  readonly urls: readonly string[];
  /** Whatever else is connected to, by any protocol. Left out: nothing. */
  readonly hosts?: readonly ReachedHost[];
  /**
   * Credentials of the server itself that the block uses, in words, such as `the service account of the server`. Sources
   * made through the API may use them only with `apiSources.allowServerCredentials`. Left out: none.
   */
  readonly serverCredentials?: string;
  /** What may stand in the configuration file only, whatever the operator allows: credentials of the server. Left out: nothing. */
  readonly refused?: readonly KindProblem[];
}

/** What a source is told with each read. */
export interface ReadSurroundings {
  readonly scratch: ScratchFolder;
}

/**
 * A folder of this source alone, on this machine: for clones, downloads, whatever
 * need not be fetched twice. It outlives restarts, is emptied when the source is
 * defined otherwise or held more than it may, and goes with the source. It may be
 * empty at any read, so nothing may stand there that cannot be had again. Nobody
 * else has it between the start of a read and its end.
 */
export interface ScratchFolder {
  /** Most bytes that its files may take together when a read ends; looked at then. */
  readonly mostBytes: number;
  /**
   * Its absolute path; made where it is not there, with mode 0700. Throws ERR_SCRATCH_*
   * when there is no place for it, or another process still has it.
   */
  open(): Promise<string>;
}

export interface Source {
  /**
   * All entries, as of now, one by one, so that a large source needs no more
   * memory than a small one. Its end means complete: what was not yielded is
   * gone; in a source with scopes, see `ScopesRead`. An error keeps the last good
   * set. A skipped entry carries its reason to the status of the source. Ends soon
   * after the signal aborts. A source with `readChanges` yields a cursor as well.
   */
  readEntries(signal: AbortSignal, surroundings: ReadSurroundings): AsyncIterable<ReadItem>;
  /**
   * What is different from when `since` was yielded, by this instance or by an
   * earlier one, in the order in which it became so; where a version comes twice,
   * the later one counts. It may repeat what is known. What is not mentioned stays.
   * The last cursor that it yields is kept with what it yielded, in one step, and
   * is the next `since`; without one it stays. An error keeps everything as it was.
   * Where it cannot go on from `since`, it yields `startOver`: `readEntries` follows.
   * That is also read from time to time, and when somebody asks for it.
   */
  readChanges?(since: string, signal: AbortSignal, surroundings: ReadSurroundings): AsyncIterable<ChangeItem>;
  /**
   * Longest time in milliseconds between two full reads of a source that has
   * `readChanges`, since only a full read notices what a change did not tell.
   * Left out: a day.
   */
  readonly fullReadEveryMs?: number;
  /**
   * A short text that is equal when `readEntries` would yield the same entries
   * again: a hash, a commit. The registry skips a sync when it has not changed.
   */
  fingerprint?(signal: AbortSignal, surroundings: ReadSurroundings): Promise<string>;
  /**
   * Yields whenever there may be something new to read, until the signal
   * aborts. The registry then syncs at once, whatever the interval says. Of all
   * servers that share a database one watches; where it ends or throws, it is
   * begun again after a pause, and what happened meanwhile is read.
   */
  watch?(signal: AbortSignal): AsyncIterable<void>;
  close?(): Promise<void>;
}

/** What a full read may yield. */
export type ReadItem = SourceEntry | SkippedEntry | SourceCursor | SourceRevision | ScopesRead;

/** What a read of changes may yield. */
export type ChangeItem = ReadItem | RemovedEntry | StartOver;

export interface SourceEntry {
  readonly type: EntryType;
  /** The document as it came; the registry validates it. */
  readonly document: unknown;
  /** Only where the kind says `claimsFrom: 'entry'`. */
  readonly claims?: ResourceClaims;
  /** Where it stands in what was read, for messages: `data.servers[3]`. */
  readonly place?: string;
  /**
   * The part of the source that it was read from, where parts can be read one by
   * one: a file, a namespace. When any entry has one, all have. At most 500 characters.
   */
  readonly scope?: string;
  /**
   * What another registry says of this version, where it comes from one: shown as it
   * is. Whatever is left out, this registry says; what it cannot keep is told as a warning.
   */
  readonly official?: OfficialFacts;
  /**
   * Marks of the registries that it came through before, the one first that made it.
   * Where this registry is among them the version is left out: it is here already.
   */
  readonly path?: readonly string[];
}

/** The official block of a registry about one version (MCP registry API). Times are as in RFC 3339. */
export interface OfficialFacts {
  /** Left out: what the document says. */
  readonly status?: EntryStatus;
  readonly statusMessage?: string;
  readonly statusChangedAt?: string;
  readonly publishedAt?: string;
  readonly updatedAt?: string;
  /** Where it is true of several versions of a name, the highest of them is the latest one. */
  readonly isLatest?: boolean;
}

export interface SkippedEntry {
  /** Name or place of what was left out. */
  readonly skipped: string;
  /** A sentence. */
  readonly because: string;
  readonly scope?: string;
  /** Entry that it would have been, where the source knows: explanations of access name the reason. */
  readonly entry?: { readonly type: EntryType; readonly name: string };
}

/** From where `readChanges` can go on: text of at most 64 KiB that any instance of the source understands. */
export interface SourceCursor {
  readonly cursor: string;
}

/**
 * What was read, as its place calls it: the commit of a repository. Shown to those who may see
 * the status of the source; at most 200 characters. The last one of a read counts.
 */
export interface SourceRevision {
  readonly revision: string;
}

/**
 * Which parts of a source were read, as of now. With scopes, the end of a read
 * says nothing about what is gone; this does, and may be yielded several times.
 */
export interface ScopesRead {
  /**
   * Read to their end: what they held before and what was not yielded is gone.
   * A part that could not be read, or not all of it, is not named: it keeps its entries.
   */
  readonly completeScopes: readonly string[];
  /** All parts there are, `completeScopes` included: entries of any other one are gone. Left out: nobody can say. */
  readonly allScopes?: readonly string[];
}

/** It is no more. That it was not there is no mistake. */
export interface RemovedEntry {
  readonly removed: {
    readonly type: EntryType;
    /** `namespace/name`, for all three types. */
    readonly name: string;
    /** Left out: all of its versions. */
    readonly version?: string;
  };
  /** Only if it was read from this part. */
  readonly scope?: string;
}

/** The cursor is of no use any more; nothing else is to be yielded. */
export interface StartOver {
  /** Why, as a sentence, for the log. */
  readonly startOver: string;
}
