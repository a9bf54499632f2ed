import type { Kysely } from 'kysely';
import { syncLeaseLost } from '../../store/store-errors.ts';
import { isContention } from '../../store/contention.ts';
import type { Database } from '../../store/database-schema.ts';
import { limitWaits, preferIndexes } from '../../store/engine.ts';
import { markChanged } from '../../store/epoch.ts';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import { recordSuccess, type SyncSuccess } from '../../store/record-sync.ts';
import type { ReadResult } from '../read-source.ts';
import { MAX_SKIPPED_KEPT, type StoredSkip } from '../skipped-tally.ts';
import type { Spool, SpoolStep } from './spool.ts';
import { outcomeOf, type SyncedSource, type SyncContext } from '../synced-source.ts';
import { requireNoShrink } from './unsafe-shrink.ts';
import type { WriteTarget } from './write-target.ts';
import { type WriteResult, writeChanges, writeVersions } from './write-versions.ts';

export interface FinishedRead extends ReadResult, Pick<SyncSuccess, 'fingerprint' | 'rules'> {
  /** Start of the read, ISO 8601. */
  readonly begun: string;
  /** Id of a full read of the source that was requested before this sync began. */
  readonly request: string | null;
  /** Previous cursor. It is kept when the changes contain none. */
  readonly since: string | null;
  readonly mayShrink: boolean;
  readonly remark: string | undefined;
}

/**
 * Versions per set of statements, and rows per statement. Small, because the thread is blocked between two
 * statements and the data must die young: on SQLite, more than 50 cause full collections, which block every
 * request. On PostgreSQL each statement is a round trip.
 */
const AT_ONCE = {
  sqlite: { versions: 50, statementRows: 25 },
  postgres: { versions: 100, statementRows: 100 },
} as const;

/** Maximum attempts when the database aborts the transaction because of another write. */
const MAX_TURNS = 4;

/**
 * Writes versions and the state for the next read in one transaction. Throws ERR_SYNC_LEASE_LOST, without
 * writing, and UnsafeShrink when the source would lose most of its entries.
 */
export async function storeRead(
  spool: Spool,
  source: SyncedSource,
  around: SyncContext,
  read: FinishedRead,
  signal: AbortSignal,
) {
  for (let turn = 1; ; turn += 1) {
    try {
      return await write(spool, source, around, read, signal);
    } catch (error) {
      if (turn === MAX_TURNS || !isContention(error)) throw error;
      around.logger.info({ source: source.name, turn }, 'a concurrent write conflicts; storing again');
    }
  }
}

async function write(
  spool: Spool,
  source: SyncedSource,
  around: SyncContext,
  read: FinishedRead,
  signal: AbortSignal,
) {
  const { store, clock } = around;
  return store.writing.transaction().execute(async (db) => {
    await limitWaits(db, store.engine);
    await preferIndexes(db, store.engine);
    const claimSetId = await holdSource(db, source, around);
    const { versions, statementRows } = AT_ONCE[store.engine];
    const target = {
      statementRows,
      sourceId: source.id,
      claimSetId: source.claimsFrom === 'source' ? claimSetId : undefined,
      now: clock().toISOString(),
    };
    const written = await writeSteps(db, target, interruptible(spool.batches(versions), signal), read);
    if (!read.mayShrink) await requireNoShrink(db, source, written.entries);
    const twice = written.duplicates.map(
      (name): StoredSkip => ({
        skipped: name,
        because: 'This version stands in the source twice; the first one was taken.',
      }),
    );
    const isFull = read.how === 'in full';
    const skipped = read.skips.count + twice.length;
    const outcome = { ...outcomeOf(source, around), remark: read.remark };
    const list = [...read.skips.list, ...twice].slice(0, MAX_SKIPPED_KEPT);
    await recordSuccess(db, store.engine, source.id, outcome, {
      fingerprint: read.fingerprint,
      rules: read.rules,
      cursor: read.cursor ?? (isFull ? null : read.since),
      // Changes without a revision keep the previous one.
      revision: read.revision ?? (isFull ? null : undefined),
      skippedCount: skipped,
      skipped: list,
      full: isFull ? { begun: read.begun, request: read.request } : undefined,
      changed: written.changed,
    });
    if (written.changed) await markChanged(db, { sourceIds: [source.id] });
    const counts = await db
      .selectFrom('sync_status')
      .select([
        'server_count as servers',
        'skill_count as skills',
        'plugin_count as plugins',
        'warning_count as warnings',
      ])
      .where('source_id', '=', source.id)
      .executeTakeFirstOrThrow();
    return { ...counts, changed: written.changed, changes: written.changes, skipped, skips: list };
  });
}

async function writeSteps(
  db: Kysely<Database>,
  target: WriteTarget,
  steps: AsyncIterable<readonly SpoolStep[]>,
  { how, scopes }: ReadResult,
): Promise<WriteResult> {
  if (how === 'changes') return await writeChanges(db, target, steps, scopes);
  return await writeVersions(db, target, versionsOf(steps), scopes);
}

/** Yields the versions in the steps of a full read, which contains no removals. */
async function* versionsOf(
  batches: AsyncIterable<readonly SpoolStep[]>,
): AsyncGenerator<readonly PreparedVersion[]> {
  for await (const batch of batches) yield batch.flatMap((step) => ('version' in step ? [step.version] : []));
}

/**
 * Locks the row of the source until the commit, so that no sync restores outdated claims: a change of the
 * source waits for the lock (`lockSources`). Returns the id of the source's claims. Throws
 * ERR_SYNC_LEASE_LOST.
 */
async function holdSource(
  db: Kysely<Database>,
  source: SyncedSource,
  { store, owner }: SyncContext,
): Promise<number> {
  const row = await db
    .selectFrom('source')
    .select(['claim_set_id', 'reading'])
    .where('id', '=', source.id)
    .$if(store.engine === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  const lease = await db
    .selectFrom('sync_status')
    .select('lease_owner')
    .where('source_id', '=', source.id)
    .executeTakeFirst();
  const isSame = row !== undefined && row.reading === (source.reading ?? row.reading);
  if (!isSame || lease?.lease_owner !== owner) throw syncLeaseLost(source.name);
  return row.claim_set_id;
}

async function* interruptible<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
