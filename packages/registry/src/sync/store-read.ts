import type { Kysely } from 'kysely';
import { syncLeaseLost } from '../errors.ts';
import { isContention } from '../store/contention.ts';
import type { Database } from '../store/database-schema.ts';
import { markChanged } from '../store/epoch.ts';
import type { Spool } from './spool.ts';
import { storingRemotes } from './storing-remotes.ts';
import { MOST_SKIPPED_KEPT, recordSuccess, type SkippedVersion } from '../store/sync-status.ts';
import { outcomeOf, type SyncedSource, type SyncSurroundings } from './synced-source.ts';
import { writeVersions } from './write-versions.ts';

export interface ReadResult {
  readonly skippedCount: number;
  readonly skipped: readonly SkippedVersion[];
  readonly warningCount: number;
}

const BATCH = 300;

/** Times that what was read is stored anew, because the database gave way to another write. */
const MOST_TURNS = 4;

/**
 * Makes the stored versions of a source equal to what was read of it, in one
 * transaction. Throws ERR_SYNC_LEASE_LOST, with nothing written, when the source
 * is gone, or is read by somebody else or otherwise by now.
 */
export async function storeRead(
  spool: Spool,
  source: SyncedSource,
  around: SyncSurroundings,
  read: ReadResult & { readonly fingerprint: string | undefined },
  signal: AbortSignal,
) {
  for (let turn = 1; ; turn += 1) {
    try {
      return await write(spool, source, around, read, signal);
    } catch (error) {
      if (turn === MOST_TURNS || !isContention(error)) throw error;
      around.logger.info({ source: source.name, turn }, 'another write came in between; storing it again');
    }
  }
}

async function write(
  spool: Spool,
  source: SyncedSource,
  around: SyncSurroundings,
  read: ReadResult & { readonly fingerprint: string | undefined },
  signal: AbortSignal,
) {
  const { store, clock } = around;
  return store.writing.transaction().execute(async (db) => {
    const claimSetId = await holdSource(db, source, around);
    const target = {
      sourceId: source.id,
      claimSetId: source.claimsFrom === 'source' ? claimSetId : undefined,
      now: clock().toISOString(),
    };
    const batches = storingRemotes(db, target, interruptible(spool.batches(BATCH), signal));
    const written = await writeVersions(db, target, batches);
    const twice = written.duplicates.map((name) => ({
      skipped: name,
      because: 'This version stands in the source twice; the first one was taken.',
    }));
    await recordSuccess(db, store.engine, source.id, outcomeOf(source, around), {
      fingerprint: read.fingerprint,
      warningCount: read.warningCount,
      skippedCount: read.skippedCount + twice.length,
      skipped: [...read.skipped, ...twice].slice(0, MOST_SKIPPED_KEPT),
    });
    if (written.changed) await markChanged(db, { sourceIds: [source.id] });
    const counts = await db
      .selectFrom('sync_status')
      .select(['server_count as servers', 'skill_count as skills', 'plugin_count as plugins'])
      .where('source_id', '=', source.id)
      .executeTakeFirstOrThrow();
    return { ...counts, changed: written.changed, skipped: read.skippedCount + twice.length };
  });
}

/**
 * The class of the source's claims, which stays what it is until the commit:
 * whoever changes or deletes the source waits (`lockSources`), so that no sync
 * brings back claims that were changed meanwhile. Throws ERR_SYNC_LEASE_LOST when
 * the source is gone, or is read by somebody else or otherwise by now.
 */
async function holdSource(
  db: Kysely<Database>,
  source: SyncedSource,
  { store, owner }: SyncSurroundings,
): Promise<number> {
  const row = await db
    .selectFrom('source')
    .select('claim_set_id')
    .where('id', '=', source.id)
    .$if(store.engine === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  const lease = await db
    .selectFrom('sync_status')
    .select('lease_owner')
    .where('source_id', '=', source.id)
    .executeTakeFirst();
  if (row === undefined || lease?.lease_owner !== owner) throw syncLeaseLost(source.name);
  return row.claim_set_id;
}

async function* interruptible<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
