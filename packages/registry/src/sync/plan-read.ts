import { createHash } from 'node:crypto';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import { parseSkipped, type StoredSyncState } from '../store/sync-status.ts';
import type { Skips } from './skipped-tally.ts';
import type { SyncedSource, SyncContext } from './synced-source.ts';

/**
 * Version of the parsing rules. Increase it when entries are parsed differently, so that an upgrade reads all
 * sources again.
 */
const READING_VERSION = 2;

/** Default interval of full reads for sources that report changes, in milliseconds. */
const FULL_READ_EVERY_MS = 24 * 3_600_000;

export interface ReadPlan {
  /** Cursor from which changes are read; null for a full read. */
  readonly since: string | null;
  /** Entries that earlier reads skipped. */
  readonly skips: Skips;
  /** Whether a full read was requested, regardless of the fingerprint. */
  readonly isAskedInFull: boolean;
  readonly request: string | null;
  /**
   * Whether the read may remove most entries: it is allowed or accepted, or this is the first read of the
   * definition.
   */
  readonly mayShrink: boolean;
  readonly rules: string;
  readonly begun: string;
  /** Identifier of this registry. */
  readonly here: string;
}

/**
 * Reads changes when the source reports them and everything stored was read from it under the current rules.
 * Otherwise reads everything, as on request and after the interval of full reads.
 */
export function planRead(source: SyncedSource, around: SyncContext, before: StoredSyncState): ReadPlan {
  const now = around.clock();
  const rules = rulesOf(source, around, before.claim_set_id);
  const { fullReadEveryMs = FULL_READ_EVERY_MS } = source.instance;
  const lastMs = before.full_read_time === null ? Number.NaN : Date.parse(before.full_read_time);
  // A clock that was set back must not delay the full read.
  const isRecent = Math.abs(now.getTime() - lastMs) < fullReadEveryMs;
  const canGoOn = source.instance.readChanges !== undefined && before.rules === rules && isRecent;
  return {
    since: canGoOn && before.full_request === null ? before.cursor : null,
    // Skips that an older version stored may lack fields.
    skips: { count: before.skipped_count, list: parseSkipped(before.skipped) },
    isAskedInFull: before.full_request !== null,
    request: before.full_request,
    mayShrink: source.allowShrink === true || before.accept_request !== null || before.rules === null,
    rules,
    begun: now.toISOString(),
    here: before.instance,
  };
}

/**
 * Returns a hash of everything that decides which documents are accepted. A changed hash causes a full read.
 */
export function readingRules(
  { filter }: Pick<SyncedSource, 'filter'>,
  { maxMetaSize, transports = [] }: DocumentRules,
): readonly unknown[] {
  return [READING_VERSION, filter ?? null, maxMetaSize, ...transports.toSorted()];
}

function rulesOf(source: SyncedSource, around: SyncContext, claimSetId: number): string {
  const rules = [...readingRules(source, around), source.claimsFrom, claimSetId];
  return createHash('sha256').update(JSON.stringify(rules)).digest('base64url');
}
