import { randomUUID } from 'node:crypto';
import type { Store } from '../store/open-store.ts';
import { databaseNow } from '../store/engine.ts';

export interface SessionLife {
  /** Absolute lifetime after the login. */
  readonly lifetimeMs: number;
  /** Maximum time between two requests. */
  readonly idleMs: number;
}

/** Lifetime of a lease, in milliseconds. It exceeds the duration of any operation that needs the lease. */
const LEASE_MS = 20_000;

/** Share of the idle time that must pass before a request extends the session again. */
const TOUCH_SHARE = 0.1;

/**
 * Browser sessions shared by all replicas, keyed by hashes of their ids. Callers encrypt the content. All
 * times are from the database's clock.
 */
export class SessionRows {
  readonly #store: Store;
  readonly #life: SessionLife;

  constructor(store: Store, life: SessionLife) {
    this.#store = store;
    this.#life = life;
  }

  /** Inserts a row and removes expired ones. */
  async insert(idHash: string, sealed: string): Promise<void> {
    await this.removeEnded();
    const { lifetimeMs, idleMs } = this.#life;
    const now = databaseNow(this.#store.engine);
    await this.#store.writing
      .insertInto('browser_session')
      .values((eb) => ({
        id_hash: idHash,
        sealed,
        until_ms: eb(now, '+', lifetimeMs),
        idle_until_ms: eb(now, '+', idleMs),
      }))
      .execute();
  }

  async find(idHash: string): Promise<string | undefined> {
    const now = databaseNow(this.#store.engine);
    const row = await this.#store.reading
      .selectFrom('browser_session')
      .select(['sealed', 'until_ms', 'idle_until_ms'])
      .select(now.as('now'))
      .where('id_hash', '=', idHash)
      .executeTakeFirst();
    if (row === undefined || row.until_ms <= row.now || row.idle_until_ms <= row.now) return undefined;
    if (row.idle_until_ms - row.now < this.#life.idleMs * (1 - TOUCH_SHARE)) await this.#touch(idHash);
    return row.sealed;
  }

  /** Replaces the content of a session. Returns whether the session still existed. */
  async replace(idHash: string, sealed: string): Promise<boolean> {
    const written = await this.#store.writing
      .updateTable('browser_session')
      .set({ sealed })
      .where('id_hash', '=', idHash)
      .returning('id_hash')
      .execute();
    return written.length > 0;
  }

  /** Deletes a session. Returns whether it existed. */
  async remove(idHash: string): Promise<boolean> {
    const removed = await this.#store.writing
      .deleteFrom('browser_session')
      .where('id_hash', '=', idHash)
      .returning('id_hash')
      .execute();
    return removed.length > 0;
  }

  /** Deletes expired sessions and returns their number. */
  async removeEnded(): Promise<number> {
    const now = databaseNow(this.#store.engine);
    const removed = await this.#store.writing
      .deleteFrom('browser_session')
      .where((eb) => eb.or([eb('idle_until_ms', '<=', now), eb('until_ms', '<=', now)]))
      .returning('id_hash')
      .execute();
    return removed.length;
  }

  /**
   * Acquires the exclusive right, among all replicas, to change a session for at most 20 s. Returns its
   * release; undefined when another process holds it or the row is absent.
   */
  async lease(idHash: string): Promise<(() => Promise<void>) | undefined> {
    const owner = randomUUID();
    const now = databaseNow(this.#store.engine);
    const taken = await this.#store.writing
      .updateTable('browser_session')
      .set((eb) => ({ lease_owner: owner, lease_until_ms: eb(now, '+', LEASE_MS) }))
      .where('id_hash', '=', idHash)
      .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_until_ms', '<=', now)]))
      .returning('id_hash')
      .execute();
    return taken.length === 0 ? undefined : () => this.#release(idHash, owner);
  }

  async #release(idHash: string, owner: string): Promise<void> {
    await this.#store.writing
      .updateTable('browser_session')
      .set({ lease_owner: null, lease_until_ms: null })
      .where('id_hash', '=', idHash)
      .where('lease_owner', '=', owner)
      .execute();
  }

  async #touch(idHash: string): Promise<void> {
    const now = databaseNow(this.#store.engine);
    await this.#store.writing
      .updateTable('browser_session')
      .set((eb) => ({ idle_until_ms: eb(now, '+', this.#life.idleMs) }))
      .where('id_hash', '=', idHash)
      .execute();
  }
}
