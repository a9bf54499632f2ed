import type { SessionLife, SessionUse } from './session-life.ts';

export interface TabledSession {
  readonly id: string;
  readonly isBusy: boolean;
  /** Whether a request of the session waits for a response, so that the session does not expire. */
  readonly isWaiting: boolean;
  end(): Promise<void>;
}

export interface SessionTableOptions extends SessionLife {
  readonly nowMs?: () => number;
}

interface Row<Session> {
  readonly session: Session;
  usedMs: number;
}

/** Maximum milliseconds between sweeps. An expired session uses memory until then. */
const MAX_SWEEP_MS = 60 * 60_000;

/** Milliseconds between two sweeps: sessions end at most a tenth of the TTL late. */
export function sweepMs(ttlMs: number): number {
  return Math.min(MAX_SWEEP_MS, Math.max(1, ttlMs / 10));
}

export class SessionTable<Session extends TabledSession> {
  readonly #rows = new Map<string, Row<Session>>();
  readonly #life: SessionLife;
  readonly #nowMs: () => number;

  constructor({ nowMs = () => performance.now(), ...life }: SessionTableOptions) {
    this.#life = life;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(session: Session): void {
    this.#rows.set(session.id, { session, usedMs: this.#nowMs() });
  }

  /** Returns the session and records its use. Undefined for an unknown or expired session. */
  find(id: string, use: SessionUse = 'message'): Session | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    if (this.#isExpired(row)) return undefined;
    this.#use(row, use);
    return row.session;
  }

  /** Returns whether the session exists, without recording a use. */
  has(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && !this.#isExpired(row);
  }

  isExpired(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && this.#isExpired(row);
  }

  touch(id: string, use: SessionUse = 'message'): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#use(row, use);
  }

  remove(session: Session): void {
    if (this.#rows.get(session.id)?.session === session) this.#rows.delete(session.id);
  }

  async sweep(): Promise<number> {
    const expired = [...this.#rows.values()].filter((row) => this.#isExpired(row));
    await this.#endAll(expired);
    return expired.length;
  }

  /** Returns the session that has been idle for longest; undefined when all are busy. */
  findIdlest(): { readonly session: Session; readonly idleMs: number } | undefined {
    const idle = [...this.#rows.values()].filter(({ session }) => !session.isBusy);
    const [first] = idle;
    if (first === undefined) return undefined;
    const { session, usedMs } = idle.reduce(
      (oldest, row) => (row.usedMs < oldest.usedMs ? row : oldest),
      first,
    );
    return { session, idleMs: this.#nowMs() - usedMs };
  }

  get busy(): number {
    return this.list().filter(({ isBusy }) => isBusy).length;
  }

  list(): readonly Session[] {
    return [...this.#rows.values()].map(({ session }) => session);
  }

  async close(): Promise<void> {
    await this.#endAll([...this.#rows.values()]);
  }

  async #endAll(rows: readonly Row<Session>[]): Promise<void> {
    for (const { session } of rows) this.#rows.delete(session.id);
    await Promise.all(rows.map(({ session }) => session.end()));
  }

  #use(row: Row<Session>, use: SessionUse): void {
    if (use === 'message' || this.#life.keptByStreams) row.usedMs = this.#nowMs();
  }

  #isExpired({ session, usedMs }: Row<Session>): boolean {
    const { ttlMs, keptByStreams } = this.#life;
    if (this.#nowMs() - usedMs <= ttlMs) return false;
    return !(keptByStreams ? session.isBusy : session.isWaiting);
  }
}
