import { createHash } from 'node:crypto';
import { isPortolanError, type ReadContext, type SyncRecord } from '@portolan/plugin-api';
import { syncAborted } from './sync-errors.ts';
import { syncLeaseLost } from '../store/store-errors.ts';
import { refreshStatistics } from '../store/engine.ts';
import { type StoredSyncState } from '../store/sync-status.ts';
import { recordFailure, recordUnsafeShrink, recordStart, recordUnchanged } from '../store/record-sync.ts';
import { LockedScratch } from './scratch/locked-scratch.ts';
import { startRenewal } from './schedule/lease-renewal.ts';
import { logSkippedEntries } from './log-skipped-entries.ts';
import { NameInOtherCase } from './name-in-other-case.ts';
import { planRead, readingRules, type ReadPlan } from './plan-read.ts';
import { readChanges, readInFull, type ReadResult } from './read-source.ts';
import { Spool } from './write/spool.ts';
import { UnsafeShrink } from './write/unsafe-shrink.ts';
import { statusMessageOf } from './schedule/status-message.ts';
import { storeRead } from './write/store-read.ts';
import { outcomeOf, type SyncedSource, type SyncContext } from './synced-source.ts';
import { tracePart, traceSync } from './trace-sync.ts';

/**
 * Minimum pause after a failure, in milliseconds. It doubles with each further failure, up to the interval.
 */
const FIRST_PAUSE_MS = 5_000;

/**
 * Reads a source completely, then writes the result in one transaction. The caller holds the lease. After a
 * failure, the last good data stays. Never throws.
 */
export async function syncSource(
  source: SyncedSource,
  around: SyncContext,
  signal: AbortSignal,
): Promise<SyncRecord> {
  const started = performance.now();
  const aborted = new AbortController();
  const stop = (): void => aborted.abort(syncAborted(source.name));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const stopRenewal = startRenewal(() => renew(source, around, aborted));
  try {
    return await traceSync(source, around, async () => {
      const result = await attempt(source, around, aborted.signal);
      return { ...result, source: source.name, durationMs: performance.now() - started };
    });
  } finally {
    stopRenewal();
    signal.removeEventListener('abort', stop);
  }
}

type Attempt = Omit<SyncRecord, 'source' | 'durationMs'>;

const NOTHING = {
  servers: 0,
  skills: 0,
  plugins: 0,
  skipped: 0,
  added: 0,
  changed: 0,
  removed: 0,
} as const;

async function attempt(source: SyncedSource, around: SyncContext, signal: AbortSignal): Promise<Attempt> {
  const { store, logger } = around;
  const scratch = new LockedScratch(source, around, signal);
  const again = new LockedScratch(source, around, signal);
  let before: StoredSyncState | undefined;
  try {
    before = await recordStart(store.writing, source.id, outcomeOf(source, around));
    const plan = planRead(source, around, before);
    const fingerprint = await tracePart('fingerprint', around, () =>
      fingerprintOf(source, around, { scratch }, signal),
    );
    if (fingerprint !== undefined && fingerprint === before.fingerprint && !plan.isAskedInFull) {
      const outcome = { ...outcomeOf(source, around), remark: await scratch.release() };
      await recordUnchanged(store.writing, store.engine, source.id, outcome);
      logger.debug({ source: source.name }, 'source unchanged');
      return { outcome: 'unchanged', ...NOTHING, error: undefined };
    }
    try {
      return await readAndWrite(source, around, { plan, fingerprint, scratch, before }, signal);
    } catch (error) {
      if (!(error instanceof NameInOtherCase)) throw error;
      around.logger.info({ source: source.name, because: error.message }, 'starting a full sync');
      const all = { plan: { ...plan, since: null }, fingerprint, scratch: again, before };
      return await readAndWrite(source, around, all, signal);
    }
  } catch (error) {
    if (error instanceof UnsafeShrink && !signal.aborted) return await hold(source, around, before, error);
    return await failed(source, around, before, signal.aborted ? signal.reason : error);
  } finally {
    await scratch.release();
    await again.release();
  }
}

interface Read {
  readonly plan: ReadPlan;
  readonly fingerprint: string | undefined;
  readonly scratch: LockedScratch;
  readonly before: StoredSyncState;
}

async function readAndWrite(
  source: SyncedSource,
  around: SyncContext,
  { plan, fingerprint, scratch, before }: Read,
  signal: AbortSignal,
): Promise<Attempt> {
  const spool = await Spool.open();
  try {
    const read = await tracePart('fetch', around, () =>
      readAsPlanned(spool, source, plan, around, { scratch }, signal),
    );
    const remark = await scratch.release();
    const { since, request, rules, begun, mayShrink } = plan;
    const finished = { ...read, since, request, rules, begun, mayShrink, fingerprint, remark };
    const {
      warnings,
      skips,
      changes,
      changed: isChanged,
      ...counts
    } = await tracePart('swap', around, () => storeRead(spool, source, around, finished, signal)).catch(
      (error: unknown) => {
        // The source lost most of its entries. Log the skipped entries, which are a likely reason.
        if (error instanceof UnsafeShrink && before.phase !== 'held')
          logSkippedEntries(source.name, around.logger, {
            skipped: read.skips.list,
            warnings: read.oddities,
            count: read.skips.count + read.oddityCount,
          });
        throw error;
      },
    );
    if (isChanged && read.how === 'in full') await countAgain(around);
    around.logger.info(
      {
        source: source.name,
        read: read.how,
        ...counts,
        ...changes,
        warnings,
        ...(read.fromHereCount > 0 ? { fromHere: read.fromHereCount } : {}),
      },
      isChanged ? 'source synced' : 'source read again, nothing new',
    );
    // The previous sync logged the same lines.
    if (isChanged || JSON.stringify(skips) !== before.skipped) {
      const count = counts.skipped + read.oddityCount;
      logSkippedEntries(source.name, around.logger, { skipped: skips, warnings: read.oddities, count });
    }
    return { outcome: isChanged ? 'changed' : 'unchanged', ...counts, ...changes, error: undefined };
  } finally {
    await spool.close();
  }
}

async function readAsPlanned(
  spool: Spool,
  source: SyncedSource,
  { since, skips, here }: ReadPlan,
  surrounding: SyncContext,
  context: ReadContext,
  signal: AbortSignal,
): Promise<ReadResult> {
  const around = { ...surrounding, here };
  if (since !== null) {
    const read = await readChanges(spool, source, { cursor: since, skips }, around, context, signal);
    if ('how' in read) return read;
    around.logger.info(
      { source: source.name, because: read.startOver },
      'the source cannot report changes; starting a full sync',
    );
    await spool.clear();
  }
  return await readInFull(spool, source, around, context, signal);
}

/** Updates the statistics of the database. They affect only speed, so a failure is only logged. */
async function countAgain(around: SyncContext): Promise<void> {
  try {
    await refreshStatistics(around.store.engine, around.store.owning);
  } catch (error) {
    around.logger.warn({ err: error }, 'cannot refresh the statistics of the database');
  }
}

/** Returns a text for everything that must be equal for a sync to do nothing. */
async function fingerprintOf(
  source: SyncedSource,
  around: SyncContext,
  context: ReadContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const data = await source.instance.fingerprint?.(signal, context);
  if (data === undefined) return undefined;
  const rules = JSON.stringify(readingRules(source, around));
  return createHash('sha256').update(rules).update('\0').update(data).digest('base64url');
}

/** Records a sync that would have removed most entries, and keeps the stored ones. */
async function hold(
  source: SyncedSource,
  around: SyncContext,
  before: StoredSyncState | undefined,
  { message }: UnsafeShrink,
): Promise<Attempt> {
  const { store, logger } = around;
  try {
    await recordUnsafeShrink(store.writing, store.engine, source.id, outcomeOf(source, around), message);
  } catch (error) {
    return await failed(source, around, before, error);
  }
  logger.warn({ source: source.name, because: message }, 'sync held');
  return { outcome: 'held', ...NOTHING, error: message };
}

async function failed(
  source: SyncedSource,
  around: SyncContext,
  before: StoredSyncState | undefined,
  error: unknown,
): Promise<Attempt> {
  const { store, logger } = around;
  const message = statusMessageOf(error, 'The source could not be read; the log says why.');
  const attempts = (before?.attempt_count ?? 0) + 1;
  if (isPortolanError(error) && error.code === 'ERR_SYNC_LEASE_LOST') {
    logger.info(
      { source: source.name },
      'sync cancelled: another process took the source over, or it was changed or deleted',
    );
    return { outcome: 'failed', ...NOTHING, error: message };
  }
  if (isPortolanError(error) && error.code === 'ERR_SYNC_ABORTED')
    logger.info({ source: source.name }, 'sync cancelled: this process no longer syncs the source');
  else logger.warn({ source: source.name, err: error, attempts }, 'sync failed; the last valid data stays');
  const pause = Math.min(source.intervalMs, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20));
  try {
    const outcome = { ...outcomeOf(source, around), nextInMs: pause };
    await recordFailure(store.writing, store.engine, source.id, outcome, { message, attempts });
  } catch (second) {
    logger.warn({ source: source.name, err: second }, 'cannot record the failure');
  }
  return { outcome: 'failed', ...NOTHING, error: message };
}

async function renew(source: SyncedSource, around: SyncContext, aborted: AbortController): Promise<void> {
  try {
    if (!(await around.leases.renew(source.id))) aborted.abort(syncLeaseLost(source.name));
  } catch (error) {
    around.logger.warn({ source: source.name, err: error }, 'lease not renewed; retrying');
  }
}
