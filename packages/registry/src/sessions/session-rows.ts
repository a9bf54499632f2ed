import { randomUUID } from 'node:crypto';
import type { Store } from '../store/open-store.ts';
import { databaseNow } from '../store/engine.ts';

/** How long a session lasts, in milliseconds. */
export interface SessionLife {
  /** From the login on, whatever happens. */
  readonly lifetimeMs: number;
  /** From the last request on. */
  readonly idleMs: number;
}

/** How long a lease is believed; longer than anything that is done under it. */
const LEASE_MS = 20_000;

/** The end of an idle session is written again when this share of it is over. */
const TOUCH_SHARE = 0.1;

/**
 * Sessions of browsers, in rows that all replicas see, by hashes of their ids.
 * What is in a row is sealed by whoever writes it. All times are those of the
 * database's clock.
 */
export class SessionRows {
  readonly #store: Store;
  readonly #life: SessionLife;

  constructor(store: Store, life: SessionLife) {
    this.#store = store;
    this.#life = life;
  }

  /** A new row; those that have ended go. */
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

  /** What is in a row; undefined where there is none, or it has ended. Counts as a use. */
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

  /** Whether there still was such a row to write. */
  async replace(idHash: string, sealed: string): Promise<boolean> {
    const written = await this.#store.writing
      .updateTable('browser_session')
      .set({ sealed })
      .where('id_hash', '=', idHash)
      .returning('id_hash')
      .execute();
    return written.length > 0;
  }

  /** Whether there was one. */
  async remove(idHash: string): Promise<boolean> {
    const removed = await this.#store.writing
      .deleteFrom('browser_session')
      .where('id_hash', '=', idHash)
      .returning('id_hash')
      .execute();
    return removed.length > 0;
  }

  /** How many had ended. */
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
   * The right to change a session, alone among all replicas, for 20 s at most: what
   * ends it. Undefined while somebody else has it, and where there is no such row.
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
