import { createEntryFilter, type EntryFacts } from '@portolan/entry-format';
import type {
  ChangeItem,
  ReadItem,
  ReadSurroundings,
  SourceCursor,
  SourceEntry,
  SourceRevision,
} from '@portolan/plugin-api';
import { cursorUnusable, revisionUnusable, scopeUnusable } from './sync-errors.ts';
import {
  type PreparationRules,
  prepareVersion,
  type VersionAddress,
} from '../preparation/prepare-version.ts';
import type { EntryWarning } from '../store/sync-status.ts';
import { OwnTurns } from '../preparation/own-turns.ts';
import { ScopeCollector, type ScopesSeen } from './scopes-seen.ts';
import { type Skips, SkippedTally } from './skipped-tally.ts';
import type { Spool } from './spool.ts';
import type { SyncedSource, SyncSurroundings } from './synced-source.ts';
import { StagingTime } from './trace-sync.ts';

/** What a read needs to know beside the source. */
export interface ReadingSurroundings extends SyncSurroundings {
  /** Mark of this registry. */
  readonly here: string;
}

/** What a read found; the versions themselves are in the spool. */
export interface ReadResult {
  readonly how: 'in full' | 'changes';
  readonly skips: Skips;
  /** The first of the faults of entries that are served all the same, as this read has found them. */
  readonly oddities: readonly EntryWarning[];
  /** How many there were. */
  readonly oddityCount: number;
  /** Versions that were left out because they came from this registry. */
  readonly fromHereCount: number;
  /** The last one that was yielded. */
  readonly cursor: string | undefined;
  /** Likewise. */
  readonly revision: string | undefined;
  /** undefined: the source has no parts, or a read of changes says nothing of them. */
  readonly scopes: ScopesSeen | undefined;
}

/** Most faults that are kept for the log. */
const MAX_ODDITIES = 100;

/** Longest cursor, scope and revision, in characters. */
const MAX_CURSOR_LENGTH = 65_536;
const MAX_SCOPE_LENGTH = 500;
const MAX_REVISION_LENGTH = 200;

const KEPT = 'This part of the source was not read completely; its last good entries are kept.';

/** Reads the whole source to its end; what cannot be kept is counted, the first with reasons. */
export async function readInFull(
  spool: Spool,
  source: SyncedSource,
  around: ReadingSurroundings,
  surroundings: ReadSurroundings,
  signal: AbortSignal,
): Promise<ReadResult> {
  const reader = new Reader('in full', spool, source, around, new SkippedTally());
  const staging = new StagingTime(around);
  const turns = new OwnTurns();
  for await (const item of source.instance.readEntries(signal, surroundings)) {
    signal.throwIfAborted();
    await staging.of(() => reader.take(item));
    await turns.next();
  }
  staging.tell();
  signal.throwIfAborted();
  return reader.result;
}

/** Where a read of changes begins. */
export interface Since {
  readonly cursor: string;
  readonly skips: Skips;
}

/** Reads what changed; a text, when the source cannot say what did. */
export async function readChanges(
  spool: Spool,
  source: SyncedSource,
  since: Since,
  around: ReadingSurroundings,
  surroundings: ReadSurroundings,
  signal: AbortSignal,
): Promise<ReadResult | { readonly startOver: string }> {
  const reader = new Reader('changes', spool, source, around, new SkippedTally(since.skips));
  const staging = new StagingTime(around);
  const turns = new OwnTurns();
  for await (const item of source.instance.readChanges?.(since.cursor, signal, surroundings) ?? []) {
    signal.throwIfAborted();
    if ('startOver' in item) return { startOver: item.startOver };
    await staging.of(() => reader.take(item));
    await turns.next();
  }
  staging.tell();
  signal.throwIfAborted();
  return reader.result;
}

class Reader {
  readonly #how: ReadResult['how'];
  readonly #spool: Spool;
  readonly #source: string;
  readonly #rules: PreparationRules;
  readonly #tally: SkippedTally;
  readonly #scopes = new ScopeCollector();
  /** Parts that an item says something is wrong with. */
  readonly #faulty = new Set<string>();
  #hasScopes = false;
  #hasScopeless = false;
  #cursor: string | undefined;
  #revision: string | undefined;
  readonly #oddities: EntryWarning[] = [];
  #oddityCount = 0;
  #fromHereCount = 0;

  constructor(
    how: ReadResult['how'],
    spool: Spool,
    source: SyncedSource,
    around: ReadingSurroundings,
    tally: SkippedTally,
  ) {
    const filter = createEntryFilter(source.filter ?? {});
    for (const warning of filter.warnings)
      around.logger.warn({ source: source.name, pattern: warning }, 'filter pattern cannot be read');
    this.#how = how;
    this.#spool = spool;
    this.#source = source.name;
    this.#tally = tally;
    this.#rules = {
      accepts: (facts: EntryFacts) => filter.accepts(facts),
      claimsFrom: source.claimsFrom,
      maxMetaSize: around.maxMetaSize,
      transports: around.transports,
      now: around.clock().toISOString(),
      here: around.here,
    };
  }

  async take(item: Exclude<ChangeItem, { readonly startOver: string }> | ReadItem): Promise<void> {
    if ('scope' in item && item.scope !== undefined) this.#requireScope(item.scope);
    if ('cursor' in item) this.#cursor = this.#requireCursor(item);
    else if ('revision' in item) this.#revision = this.#requireRevision(item);
    else if ('completeScopes' in item) {
      this.#hasScopes = true;
      for (const scope of [...item.completeScopes, ...(item.allScopes ?? [])]) this.#requireScope(scope);
      this.#scopes.add(item);
    } else if ('removed' in item) {
      const { type, name, version } = item.removed;
      this.#tally.forgetRemoved({ type, name, version });
      await this.#spool.append({ removal: { type, name, version, scope: item.scope } });
    } else if ('skipped' in item) {
      const { skipped, because, scope } = item;
      this.#lookAgain(undefined, skipped);
      if (scope !== undefined) this.#faulty.add(scope);
      this.#tally.add({ skipped, because, scope });
    } else await this.#takeEntry(item);
  }

  async #takeEntry(item: SourceEntry): Promise<void> {
    this.#hasScopes ||= item.scope !== undefined;
    this.#hasScopeless ||= item.scope === undefined;
    if (this.#hasScopes && this.#hasScopeless && this.#how === 'in full')
      throw scopeUnusable(this.#source, 'an entry without a scope beside one that has one');
    const prepared = prepareVersion(item, this.#rules);
    if ('version' in prepared) {
      this.#lookAgain(prepared.version, item.place);
      this.#oddityCount += prepared.oddities.length;
      this.#oddities.push(...prepared.oddities.slice(0, MAX_ODDITIES - this.#oddities.length));
      await this.#spool.append({ version: prepared.version });
      return;
    }
    const { scope } = item;
    this.#lookAgain(prepared.address, item.place);
    if ('because' in prepared) this.#tally.add({ ...prepared, scope });
    if ('fromHere' in prepared) this.#fromHereCount += 1;
    // What was good before may not stay because it is no longer.
    if (this.#how === 'changes' && prepared.address !== undefined)
      await this.#spool.append({ removal: prepared.address });
  }

  /** In a full read everything is looked at once. */
  #lookAgain(address: VersionAddress | undefined, label: string | undefined): void {
    if (this.#how === 'changes') this.#tally.forget(address, label);
  }

  get result(): ReadResult {
    const scopes = this.#hasScopes ? this.#scopes : undefined;
    if (scopes !== undefined) {
      this.#tally.forgetScopes(scopes);
      // A read of changes is never of all parts: what was said of one stays until it was read.
      for (const scope of this.#how === 'in full' ? scopes.incomplete : []) {
        // Where the source has said what is wrong with it, that is enough.
        if (!this.#faulty.has(scope)) this.#tally.add({ skipped: scope, because: KEPT, scope });
      }
    }
    return {
      how: this.#how,
      skips: this.#tally.skips,
      oddities: this.#oddities,
      oddityCount: this.#oddityCount,
      fromHereCount: this.#fromHereCount,
      cursor: this.#cursor,
      revision: this.#revision,
      scopes,
    };
  }

  #requireCursor({ cursor }: SourceCursor): string {
    const fault = faultOf(cursor, MAX_CURSOR_LENGTH);
    if (fault !== undefined) throw cursorUnusable(this.#source, fault);
    return cursor;
  }

  #requireRevision({ revision }: SourceRevision): string {
    const fault = faultOf(revision, MAX_REVISION_LENGTH);
    if (fault !== undefined) throw revisionUnusable(this.#source, fault);
    return revision;
  }

  #requireScope(scope: string): void {
    const fault = faultOf(scope, MAX_SCOPE_LENGTH);
    if (fault !== undefined) throw scopeUnusable(this.#source, fault);
  }
}

/** Why a text of a plugin cannot be stored; undefined when it can. */
function faultOf(text: unknown, longest: number): string | undefined {
  if (typeof text !== 'string' || text === '') return 'no text';
  if (text.length > longest) return `a text of ${text.length} characters; at most ${longest} are kept`;
  return text.includes('\0') || !text.isWellFormed() ? 'a text that no database can keep' : undefined;
}
