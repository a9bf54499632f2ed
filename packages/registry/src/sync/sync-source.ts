import { createHash } from 'node:crypto';
import { createEntryFilter, type EntryFacts } from '@portolan/entry-format';
import { isPortolanError, type SyncRecord } from '@portolan/plugin-api';
import { syncAborted, syncLeaseLost } from '../errors.ts';
import { refreshStatistics } from '../store/engine.ts';
import { LEASE_MS } from './lease.ts';
import { prepareVersion } from '../preparation/prepare-version.ts';
import { Spool } from './spool.ts';
import { type ReadResult, storeRead } from './store-read.ts';
import {
  MOST_SKIPPED_KEPT,
  recordFailure,
  recordStart,
  recordUnchanged,
  type SkippedVersion,
  type StoredSyncState,
} from '../store/sync-status.ts';
import { outcomeOf, type SyncedSource, type SyncSurroundings } from './synced-source.ts';

/** Shortest pause after a failure; it doubles with each further one, up to the interval. */
const FIRST_PAUSE_MS = 5_000;

/**
 * One sync of a source whose lease this process holds: read it to its end, then
 * make the stored versions equal to it in one transaction, which is open only
 * while it writes. A failure keeps the last good data. Never throws.
 */
export async function syncSource(
  source: SyncedSource,
  around: SyncSurroundings,
  signal: AbortSignal,
): Promise<SyncRecord> {
  const started = performance.now();
  const aborted = new AbortController();
  const stop = (): void => aborted.abort(syncAborted(source.name));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const renewal = setInterval(() => void renew(source, around, aborted), LEASE_MS / 3).unref();
  try {
    const result = await attempt(source, around, aborted.signal);
    return { ...result, source: source.name, durationMs: performance.now() - started };
  } finally {
    clearInterval(renewal);
    signal.removeEventListener('abort', stop);
  }
}

type Attempt = Omit<SyncRecord, 'source' | 'durationMs'>;

const NOTHING = { servers: 0, skills: 0, plugins: 0, skipped: 0 } as const;

async function attempt(
  source: SyncedSource,
  around: SyncSurroundings,
  signal: AbortSignal,
): Promise<Attempt> {
  const { store, logger } = around;
  let before: StoredSyncState | undefined;
  try {
    before = await recordStart(store.writing, source.id, outcomeOf(source, around));
    const fingerprint = await fingerprintOf(source, around, signal);
    if (fingerprint !== undefined && fingerprint === before.fingerprint) {
      await recordUnchanged(store.writing, store.engine, source.id, outcomeOf(source, around));
      logger.debug({ source: source.name }, 'source unchanged');
      return { outcome: 'unchanged', ...NOTHING, error: undefined };
    }
    return await readAndWrite(source, around, fingerprint, signal);
  } catch (error) {
    return await failed(source, around, before, error);
  }
}

async function readAndWrite(
  source: SyncedSource,
  around: SyncSurroundings,
  fingerprint: string | undefined,
  signal: AbortSignal,
): Promise<Attempt> {
  const spool = await Spool.open();
  try {
    const read = await readInto(spool, source, around, signal);
    const counts = await storeRead(spool, source, around, { ...read, fingerprint }, signal);
    if (counts.changed) await countAgain(around);
    around.logger.info(
      { source: source.name, ...counts, warnings: read.warningCount },
      counts.changed ? 'source synced' : 'source read again, nothing new',
    );
    const { changed, ...found } = counts;
    return { outcome: changed ? 'changed' : 'unchanged', ...found, error: undefined };
  } finally {
    await spool.close();
  }
}

/** Only speed depends on it: a failure is told, and changes nothing. */
async function countAgain(around: SyncSurroundings): Promise<void> {
  try {
    await refreshStatistics(around.store.engine, around.store.owning);
  } catch (error) {
    around.logger.warn({ err: error }, 'the statistics of the database could not be refreshed');
  }
}

/** Reads the source to its end; what cannot be kept is counted, the first hundred with reasons. */
async function readInto(
  spool: Spool,
  source: SyncedSource,
  around: SyncSurroundings,
  signal: AbortSignal,
): Promise<ReadResult> {
  const filter = createEntryFilter(source.filter ?? {});
  for (const warning of filter.warnings)
    around.logger.warn({ source: source.name, pattern: warning }, 'filter pattern cannot be read');
  const rules = {
    accepts: (facts: EntryFacts) => filter.accepts(facts),
    claimsFrom: source.claimsFrom,
    maxMetaSize: around.maxMetaSize,
    now: around.clock().toISOString(),
  };
  const skipped: SkippedVersion[] = [];
  let skippedCount = 0;
  let warningCount = 0;
  const skip = (what: SkippedVersion): void => {
    skippedCount += 1;
    if (skipped.length < MOST_SKIPPED_KEPT) skipped.push(what);
  };
  for await (const item of source.instance.readEntries(signal)) {
    signal.throwIfAborted();
    if ('skipped' in item) {
      skip({ skipped: item.skipped, because: item.because });
      continue;
    }
    const prepared = prepareVersion(item, rules);
    if ('because' in prepared) skip(prepared);
    else if ('version' in prepared) {
      warningCount += prepared.warnings;
      await spool.append(prepared.version);
    }
  }
  signal.throwIfAborted();
  return { skippedCount, skipped, warningCount };
}

/** What has to be equal for a sync to have nothing to do: the source's data, the filter, and how we read. */
async function fingerprintOf(
  source: SyncedSource,
  around: SyncSurroundings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const data = await source.instance.fingerprint?.(signal);
  if (data === undefined) return undefined;
  const rules = JSON.stringify([READING_VERSION, source.filter ?? null, around.maxMetaSize]);
  return createHash('sha256').update(rules).update('\0').update(data).digest('base64url');
}

/** Grows when entries are read differently, so that stored ones are read again after an upgrade. */
const READING_VERSION = 1;

async function failed(
  source: SyncedSource,
  around: SyncSurroundings,
  before: StoredSyncState | undefined,
  error: unknown,
): Promise<Attempt> {
  const { store, logger } = around;
  const message = isPortolanError(error) ? error.message : 'The source could not be read; the log says why.';
  const attempts = (before?.attempt_count ?? 0) + 1;
  if (isPortolanError(error) && error.code === 'ERR_SYNC_LEASE_LOST') {
    logger.info({ source: source.name }, 'sync given up: the source was taken over, changed or deleted');
    return { outcome: 'failed', ...NOTHING, error: message };
  }
  logger.warn({ source: source.name, err: error, attempts }, 'sync failed; the last good data is kept');
  const pause = Math.min(source.intervalMs, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20));
  try {
    const outcome = { ...outcomeOf(source, around), nextInMs: pause };
    await recordFailure(store.writing, store.engine, source.id, outcome, { message, attempts });
  } catch (second) {
    logger.warn({ source: source.name, err: second }, 'the failure could not be recorded');
  }
  return { outcome: 'failed', ...NOTHING, error: message };
}

async function renew(
  source: SyncedSource,
  around: SyncSurroundings,
  aborted: AbortController,
): Promise<void> {
  try {
    if (!(await around.leases.renew(source.id))) aborted.abort(syncLeaseLost(source.name));
  } catch (error) {
    around.logger.warn({ source: source.name, err: error }, 'lease not renewed; trying again');
  }
}
