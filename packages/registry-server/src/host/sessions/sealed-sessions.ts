import { hash, randomBytes } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { type BrowserSessions, errorClassOf, type JsonObject, type Logger } from '@portolan/plugin-api';
import type { SessionRows } from '@portolan/registry';
import type { Sealer } from './sealer.ts';

/** Milliseconds between checks whether another replica has finished changing a session. */
const LOOK_MS = 50;
const SWEEP_MS = 3_600_000;
/** Maximum number of attempts to write a changed session. */
const ATTEMPTS = 6;
const RETRY_MS = 100;
/**
 * Milliseconds after which no further attempt starts. An attempt takes up to 5 s, and another process may
 * acquire the lease after 20 s.
 */
const WRITTEN_WITHIN_MS = 12_000;

/**
 * Stores sessions as database rows. Each is encrypted for its own row, so that access to the database reveals
 * no token, and a session cannot be copied to another row.
 */
export class SealedSessions implements BrowserSessions {
  readonly #rows: SessionRows;
  readonly #sealer: Sealer;
  readonly #clock: () => Date;
  readonly #logger: Logger;
  readonly #retryMs: number;
  readonly #sweeping: NodeJS.Timeout;

  constructor(
    rows: SessionRows,
    sealer: Sealer,
    {
      clock,
      logger,
      retryMs = RETRY_MS,
    }: { readonly clock: () => Date; readonly logger: Logger; readonly retryMs?: number },
  ) {
    this.#rows = rows;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#logger = logger;
    this.#retryMs = retryMs;
    this.#sweeping = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  async begin(data: JsonObject): Promise<string> {
    const id = randomBytes(32).toString('base64url');
    const row = rowOf(id);
    await this.#rows.insert(row, this.#sealer.seal(placeOf(row), data));
    return id;
  }

  async find(id: string): Promise<JsonObject | undefined> {
    if (!isId(id)) return undefined;
    const row = rowOf(id);
    const sealed = await this.#rows.find(row);
    return sealed === undefined ? undefined : this.#open(row, sealed);
  }

  async change(
    id: string,
    change: (data: JsonObject) => Promise<JsonObject | undefined>,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (!isId(id)) return undefined;
    const row = rowOf(id);
    const release = await this.#lease(row, signal);
    if (release === undefined) return undefined;
    const until = performance.now() + WRITTEN_WITHIN_MS;
    try {
      const data = await this.find(id);
      if (data === undefined) return undefined;
      const changed = await change(data);
      if (changed === data) return data;
      if (changed === undefined) {
        await this.#rows.remove(row);
        return undefined;
      }
      // Does not write a session that a concurrent logout has removed.
      return (await this.#keep(row, changed, until)) ? changed : undefined;
    } finally {
      await this.#letGo(release);
    }
  }

  /**
   * Writes a changed session. Retries when the database is briefly unavailable, because renewed tokens exist
   * nowhere else and the previous ones are used up. Returns whether the row still exists.
   */
  async #keep(row: string, data: JsonObject, until: number): Promise<boolean> {
    const sealed = this.#sealer.seal(placeOf(row), data);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#rows.replace(row, sealed);
      } catch (error) {
        const isLast = attempt === ATTEMPTS || performance.now() > until;
        if (isLast || errorClassOf(error) !== 'unavailable') throw error;
      }
      await pass(this.#retryMs * 2 ** (attempt - 1));
    }
  }

  /** Releases a lease. A failure is harmless, because the lease expires soon. */
  async #letGo(release: () => Promise<void>): Promise<void> {
    try {
      await release();
    } catch (err) {
      this.#logger.warn({ err }, 'cannot release the lease of a session');
    }
  }

  async end(id: string): Promise<boolean> {
    return isId(id) && (await this.#rows.remove(rowOf(id)));
  }

  seal(purpose: string, data: JsonObject, lifeMs: number): string {
    return this.#sealer.seal(`cookie ${purpose}`, { data, until: this.#clock().getTime() + lifeMs });
  }

  unseal(purpose: string, text: string): JsonObject | undefined {
    const { data, until } = this.#sealer.open(`cookie ${purpose}`, text) ?? {};
    if (typeof until !== 'number' || until <= this.#clock().getTime()) return undefined;
    // SAFETY: only `seal` creates what opens here.
    return data as JsonObject;
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #open(row: string, sealed: string): JsonObject | undefined {
    const data = this.#sealer.open(placeOf(row), sealed);
    if (data === undefined)
      this.#logger.warn(
        {},
        'cannot decrypt a browser session: its key is not in sessions.keyFile, or the row was changed',
      );
    return data;
  }

  /**
   * Waits for the lease on a session. Returns the function that releases it; undefined when the row does not
   * exist.
   */
  async #lease(row: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const release = await this.#rows.lease(row);
      if (release !== undefined || (await this.#rows.find(row)) === undefined) return release;
      await pass(LOOK_MS, undefined, { signal });
    }
  }

  async #sweep(): Promise<void> {
    try {
      await this.#rows.removeEnded();
    } catch (err) {
      this.#logger.warn({ err }, 'cannot remove expired sessions');
    }
  }
}

function isId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

function rowOf(id: string): string {
  return hash('sha256', id, 'hex');
}

function placeOf(row: string): string {
  return `session ${row}`;
}
