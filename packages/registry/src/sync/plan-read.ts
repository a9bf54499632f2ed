import { createHash } from 'node:crypto';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import { parseSkipped, type StoredSyncState } from '../store/sync-status.ts';
import type { Skips } from './skipped-tally.ts';
import type { SyncedSource, SyncSurroundings } from './synced-source.ts';

/** Grows when entries are read differently, so that stored ones are read again after an upgrade. */
const READING_VERSION = 2;

/** How often a source that tells changes is read in full all the same, unless it says otherwise. */
const FULL_READ_EVERY_MS = 24 * 3_600_000;

/** How a source is to be read now. */
export interface ReadPlan {
  /** Where changes are read from; null: everything is to be read. */
  readonly since: string | null;
  /** What was left out before. */
  readonly skips: Skips;
  /** Somebody asked for everything, whatever the fingerprint says. */
  readonly isAskedInFull: boolean;
  readonly request: string | null;
  /** Whether the read may take most entries away: allowed, accepted, or the first one of this definition. */
  readonly mayShrink: boolean;
  /** By which rules the entries will have been read. */
  readonly rules: string;
  readonly begun: string;
  /** Mark of this registry. */
  readonly here: string;
}

/**
 * Changes are read where the source tells them, and what is stored was read from
 * that source by the rules of now: the same filter, limits and claims. Everything
 * is read else, when a day or what the source says has passed since the last full
 * read, and when somebody asked for it.
 */
export function planRead(source: SyncedSource, around: SyncSurroundings, before: StoredSyncState): ReadPlan {
  const now = around.clock();
  const rules = rulesOf(source, around, before.claim_set_id);
  const { fullReadEveryMs = FULL_READ_EVERY_MS } = source.instance;
  const lastMs = before.full_read_time === null ? Number.NaN : Date.parse(before.full_read_time);
  // A clock that was set back is no reason to wait longer.
  const isRecent = Math.abs(now.getTime() - lastMs) < fullReadEveryMs;
  const canGoOn = source.instance.readChanges !== undefined && before.rules === rules && isRecent;
  return {
    since: canGoOn && before.full_request === null ? before.cursor : null,
    // What a sync stores has more beside the reason, which is left out where it does not know it.
    skips: { count: before.skipped_count, list: parseSkipped(before.skipped) },
    isAskedInFull: before.full_request !== null,
    request: before.full_request,
    mayShrink: source.allowShrink === true || before.accept_request !== null || before.rules === null,
    rules,
    begun: now.toISOString(),
    here: before.instance,
  };
}

/** What decides which documents are taken, and how: when one of these is another, all are read again. */
export function readingRules(
  { filter }: Pick<SyncedSource, 'filter'>,
  { maxMetaSize, transports = [] }: DocumentRules,
): readonly unknown[] {
  return [READING_VERSION, filter ?? null, maxMetaSize, ...transports.toSorted()];
}

function rulesOf(source: SyncedSource, around: SyncSurroundings, claimSetId: number): string {
  const rules = [...readingRules(source, around), source.claimsFrom, claimSetId];
  return createHash('sha256').update(JSON.stringify(rules)).digest('base64url');
}
