import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { storeBusy } from './store-errors.ts';
import { isContention } from './contention.ts';
import type { Database } from './database-schema.ts';
import { limitWaits } from './engine.ts';
import type { Store } from './open-store.ts';

export interface Patience {
  /** Maximum wait for the lock over all attempts, in milliseconds. */
  readonly turnMs: number;
  /** Maximum wait for each locked row, in milliseconds. */
  readonly rowMs: number;
  readonly attempts: number;
}

/** Limits of waiting for a request, because a person or program waits for its response. */
const REQUEST: Patience = { turnMs: 8000, rowMs: 2000, attempts: 4 };

/** Advisory lock ("Port") that serializes administrative writes across replicas on PostgreSQL. */
const LOCK = 0x506f7274;

export interface AdminWriteOptions {
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience;
  /** Executes the write and rolls it back. The result is what the write would have returned. */
  readonly dryRun?: boolean;
}

/**
 * Runs one transaction, serialized across all replicas. What it reads stays unchanged until it commits. It
 * may lose a race against a sync and is then retried, so `work` must not change anything outside the
 * database. Throws ERR_STORE_BUSY, or the signal's reason when it aborts before the transaction starts; then
 * nothing is written, not even later.
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

/** Ends a dry-run transaction and carries its result out. */
class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('a dry run is undone');
    this.result = result;
  }
}

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
    // SAFETY: this function created it above from the result of `work`.
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

/**
 * Runs one attempt of a write. When the signal aborts while it waits for the lock, the caller gets the error
 * at once, and the lock is released as soon as it is acquired.
 */
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
