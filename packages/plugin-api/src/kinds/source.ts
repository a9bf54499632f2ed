import type { ResourceClaims } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { EntryType } from '../entry.ts';
import type { Kind } from './kind.ts';

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
}

export interface SourceReach {
  /** Paths on the server, as they stand in the block. */
  readonly files: readonly string[];
  /** Addresses that are asked. */
  readonly urls: readonly string[];
}

export interface Source {
  /**
   * All entries, as of now, one by one, so that a large source needs no more
   * memory than a small one. Its end means complete: what was not yielded is
   * gone. An error keeps the last good set. A skipped entry carries its reason
   * to the status of the source. Ends soon after the signal aborts.
   */
  readEntries(signal: AbortSignal): AsyncIterable<SourceEntry | SkippedEntry>;
  /**
   * A short text that is equal when `readEntries` would yield the same entries
   * again: a hash, a commit. The registry skips a sync when it has not changed.
   */
  fingerprint?(signal: AbortSignal): Promise<string>;
  /**
   * Yields whenever there may be something new to read, until the signal
   * aborts. The registry then syncs at once, whatever the interval says.
   */
  watch?(signal: AbortSignal): AsyncIterable<void>;
  close?(): Promise<void>;
}

export interface SourceEntry {
  readonly type: EntryType;
  /** The document as it came; the registry validates it. */
  readonly document: unknown;
  /** Only where the kind says `claimsFrom: 'entry'`. */
  readonly claims?: ResourceClaims;
  /** Where it stands in what was read, for messages: `data.servers[3]`. */
  readonly place?: string;
}

export interface SkippedEntry {
  /** Name or place of what was left out. */
  readonly skipped: string;
  /** A sentence. */
  readonly because: string;
}
