import { sessionUnknown } from '../errors.ts';
import { SessionTable, sweepMs, type TabledSession } from '../sessions/session-table.ts';

export interface BackendSessionsOptions {
  /** How long a session may go unused. */
  readonly ttlMs: number;
  /** Tells the server that a session was given up. Never rejects. */
  readonly end: (id: string, path: string) => Promise<void>;
  readonly clock: () => Date;
}

/** Of sessions and of the ids of those that are over; more are the server's own business. */
const MOST_KNOWN = 10_000;

class BackendSession implements TabledSession {
  readonly id: string;
  requests = 0;
  readonly #end: () => Promise<void>;

  constructor(id: string, end: () => Promise<void>) {
    this.id = id;
    this.#end = end;
  }

  get isBusy(): boolean {
    return this.requests > 0;
  }

  end(): Promise<void> {
    return this.#end();
  }
}

/**
 * The sessions that a server which speaks HTTP has given out, by their last use.
 * The server keeps them; here is known only which were left unused for too long.
 * An id that was not seen to be given out is the server's to judge.
 */
export class BackendSessions {
  readonly #options: BackendSessionsOptions;
  readonly #table: SessionTable<BackendSession>;
  readonly #over = new Set<string>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: BackendSessionsOptions) {
    this.#options = options;
    this.#table = new SessionTable(options);
    this.#sweeping = setInterval(() => void this.#table.sweep(), sweepMs(options.ttlMs));
  }

  get size(): number {
    return this.#table.size;
  }

  /** A request of a session comes; what is returned says that it has been answered. Throws ERR_SESSION_UNKNOWN. */
  enter(id: string): () => void {
    if (this.#over.has(id)) throw sessionUnknown();
    const session = this.#table.find(id);
    if (session === undefined) {
      if (!this.#table.isExpired(id)) return () => undefined;
      void this.#table.sweep();
      throw sessionUnknown();
    }
    session.requests += 1;
    return () => {
      session.requests -= 1;
      this.#table.touch(id);
    };
  }

  /** The server has given out an id; `path` is where it did. */
  begun(id: string, path: string): void {
    if (this.#table.has(id)) return;
    if (this.#table.size >= MOST_KNOWN) {
      const idle = this.#table.findIdlest();
      if (idle === undefined) return;
      this.#table.remove(idle.session);
    }
    this.#over.delete(id);
    const session = new BackendSession(id, () => this.#expire(id, path));
    this.#table.add(session);
  }

  /** The client has ended it, or the server does not know it. */
  ended(id: string): void {
    const session = this.#table.find(id);
    if (session !== undefined) this.#table.remove(session);
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  async #expire(id: string, path: string): Promise<void> {
    this.#over.add(id);
    const [oldest] = this.#over;
    if (this.#over.size > MOST_KNOWN && oldest !== undefined) this.#over.delete(oldest);
    await this.#options.end(id, path);
  }
}
