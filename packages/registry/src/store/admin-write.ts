import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { storeBusy } from './store-errors.ts';
import { isContention } from './contention.ts';
import type { Database } from './database-schema.ts';
import { limitWaits } from './engine.ts';
import type { Store } from './open-store.ts';

/** How long a write waits for others. */
export interface Patience {
  /** For its turn, in all attempts together. */
  readonly turnMs: number;
  /** For each row that somebody else is writing. */
  readonly rowMs: number;
  readonly attempts: number;
}

/** A person or a program waits for the answer. */
const REQUEST: Patience = { turnMs: 8000, rowMs: 2000, attempts: 4 };

/** Key of the advisory lock ("Port"): on PostgreSQL, one administrative write at a time, on any replica. */
const LOCK = 0x506f7274;

export interface AdminWriteOptions {
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience;
  /** Everything is done as it would be, and then undone: the answer is what the write would have given. */
  readonly dryRun?: boolean;
}

/**
 * Runs an administrative write as one transaction, alone among its kind on all
 * replicas: what it reads of sources, registries and published entries stays
 * until it commits. It may lose against the write of a sync and is then begun
 * anew, so `work` must not change anything outside the database. Throws
 * ERR_STORE_BUSY when others kept it waiting too long, or the reason of the
 * signal when it aborts before the turn has come: nothing is written then, not
 * later either.
 */
export async function adminWrite<T>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<T>,
  options: AdminWriteOptions = {},
): Promise<T> {
  const { signal, patience = REQUEST, dryRun = false } = options;
  const attempt = dryRun ? attemptAndUndo : attemptWrite;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(storeBusy()), patience.turnMs).unref();
  const over = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(store, work, patience.rowMs, over);
      } catch (error) {
        if (!isContention(error)) throw error;
        if (attempts >= patience.attempts) throw storeBusy(error);
      }
      await delay(10 + Math.random() * 40 * attempts);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a transaction that is only tried, and carries out of it what it would have answered. */
class Undone<T> extends Error {
  readonly answer: T;

  constructor(answer: T) {
    super('a dry run is undone');
    this.answer = answer;
  }
}

/** As `attemptWrite`, with nothing of it left: an error that leaves the transaction rolls it back. */
async function attemptAndUndo<T>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<T>,
  rowMs: number,
  over: AbortSignal,
): Promise<T> {
  const undone = async (db: Kysely<Database>): Promise<T> => {
    throw new Undone(await work(db));
  };
  try {
    return await attemptWrite(store, undone, rowMs, over);
  } catch (error) {
    // SAFETY: made above, of what this very work has answered.
    if (error instanceof Undone) return error.answer as T;
    throw error;
  }
}

/** Whoever asked is told at once when the signal aborts before the turn has come; the turn is then let go by. */
async function attemptWrite<T>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<T>,
  rowMs: number,
  over: AbortSignal,
): Promise<T> {
  let hasBegun = false;
  const written = store.writing
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (db) => {
      over.throwIfAborted();
      if (store.engine === 'postgres') await takeTurn(db, rowMs);
      over.throwIfAborted();
      hasBegun = true;
      return work(db);
    });
  const givenUp = Promise.withResolvers<never>();
  const giveUp = (): void => {
    if (!hasBegun) givenUp.reject(over.reason);
  };
  over.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([written, givenUp.promise]);
  } finally {
    over.removeEventListener('abort', giveUp);
  }
}

async function takeTurn(db: Kysely<Database>, rowMs: number): Promise<void> {
  await limitWaits(db, 'postgres', rowMs);
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(db);
}
