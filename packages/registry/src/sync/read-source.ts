import { createEntryFilter, type EntryFacts } from '@portolan/entry-format';
import type {
  ChangeItem,
  ReadItem,
  ReadContext,
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
import type { Spool } from './write/spool.ts';
import type { SyncedSource, SyncContext } from './synced-source.ts';
import { StagingTime } from './trace-sync.ts';

export interface ReadingContext extends SyncContext {
  /** Identifier of this registry. */
  readonly here: string;
}

/** Result of a read, besides the versions in the spool. */
export interface ReadResult {
  readonly how: 'in full' | 'changes';
  readonly skips: Skips;
  /** The first warnings about entries that are served despite a fault. */
  readonly oddities: readonly EntryWarning[];
  readonly oddityCount: number;
  /** Number of versions that were skipped because they were originally published in this registry. */
  readonly fromHereCount: number;
  /** The last cursor that the source yielded. */
  readonly cursor: string | undefined;
  /** The last revision that the source yielded. */
  readonly revision: string | undefined;
  /**
   * Parts of the source that were read. Undefined when the source has no parts, or a read of changes reports
   * none.
   */
  readonly scopes: ScopesSeen | undefined;
}

/** Maximum number of warnings that are kept for the log. */
const MAX_ODDITIES = 100;

/** Maximum length of a cursor, scope or revision, in characters. */
const MAX_CURSOR_LENGTH = 65_536;
const MAX_SCOPE_LENGTH = 500;
const MAX_REVISION_LENGTH = 200;

const KEPT = 'This part of the source was not read completely; its last good entries are kept.';

export async function readInFull(
  spool: Spool,
  source: SyncedSource,
  around: ReadingContext,
  context: ReadContext,
  signal: AbortSignal,
): Promise<ReadResult> {
  const reader = new Reader('in full', spool, source, around, new SkippedTally());
  const staging = new StagingTime(around);
  const turns = new OwnTurns();
  for await (const item of source.instance.readEntries(signal, context)) {
    signal.throwIfAborted();
    await staging.of(() => reader.take(item));
    await turns.next();
  }
  staging.tell();
  signal.throwIfAborted();
  return reader.result;
}

export interface Since {
  readonly cursor: string;
  readonly skips: Skips;
}

/** Reads the changes since a cursor into the spool. Returns a reason when the source cannot report them. */
export async function readChanges(
  spool: Spool,
  source: SyncedSource,
  since: Since,
  around: ReadingContext,
  context: ReadContext,
  signal: AbortSignal,
): Promise<ReadResult | { readonly startOver: string }> {
  const reader = new Reader('changes', spool, source, around, new SkippedTally(since.skips));
  const staging = new StagingTime(around);
  const turns = new OwnTurns();
  for await (const item of source.instance.readChanges?.(since.cursor, signal, context) ?? []) {
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
  /** Parts for which an item reported a fault. */
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
    around: ReadingContext,
    tally: SkippedTally,
  ) {
    const filter = createEntryFilter(source.filter ?? {});
    for (const warning of filter.warnings)
      around.logger.warn({ source: source.name, pattern: warning }, 'invalid filter pattern');
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
      const { skipped, because, scope, entry } = item;
      this.#lookAgain(undefined, skipped);
      if (scope !== undefined) this.#faulty.add(scope);
      this.#tally.add({ skipped, because, scope, entry });
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
    // An invalid new version must not leave its valid predecessor in place.
    if (this.#how === 'changes' && prepared.address !== undefined)
      await this.#spool.append({ removal: prepared.address });
  }

  /** Removes earlier skips that an item of the changes replaces. A full read starts without skips. */
  #lookAgain(address: VersionAddress | undefined, label: string | undefined): void {
    if (this.#how === 'changes') this.#tally.forget(address, label);
  }

  get result(): ReadResult {
    const scopes = this.#hasScopes ? this.#scopes : undefined;
    if (scopes !== undefined) {
      this.#tally.forgetScopes(scopes);
      // A read of changes never covers all parts, so their skips stay.
      for (const scope of this.#how === 'in full' ? scopes.incomplete : []) {
        // The source reported the fault of this part itself, so no general reason is added.
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

/** Returns why a text from a plugin cannot be stored; undefined when it can. */
function faultOf(text: unknown, longest: number): string | undefined {
  if (typeof text !== 'string' || text === '') return 'no text';
  if (text.length > longest) return `a text of ${text.length} characters; at most ${longest} are kept`;
  return text.includes('\0') || !text.isWellFormed() ? 'a text that no database can keep' : undefined;
}
