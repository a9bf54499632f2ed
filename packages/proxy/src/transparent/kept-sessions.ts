import type { KeptSession, Logger, SessionStore } from '@portolan/plugin-api';
import { sessionsUnavailable, sessionUnknown } from '../errors/session-errors.ts';
import type { BackendSessions, EnteredSession } from './backend-sessions.ts';

export interface KeptSessionsOptions {
  readonly store: SessionStore;
  /** How long a session may go unused. */
  readonly ttlMs: number;
  /** Tells the server that a session was given up. Never rejects. */
  readonly end: (id: string, path: string) => Promise<void>;
  readonly logger: Logger;
}

/** How often sessions with a request under way, such as an open stream, are kept from growing old; in milliseconds. */
function beatMs(ttlMs: number): number {
  return Math.min(60_000, Math.max(50, ttlMs / 3));
}

/**
 * Sessions in a store that several proxies share: any of them serves each. What
 * the store does not know is no session, and nobody is served on trust while it
 * cannot be asked.
 */
export class KeptSessions implements BackendSessions {
  readonly #options: KeptSessionsOptions;
  /** How many requests are under way here, by session. */
  readonly #open = new Map<string, number>();
  readonly #beating: NodeJS.Timeout;

  constructor(options: KeptSessionsOptions) {
    this.#options = options;
    this.#beating = setInterval(() => this.#beat(), beatMs(options.ttlMs));
  }

  get size(): number {
    return this.#open.size;
  }

  async enter(id: string, owner: string | undefined): Promise<EnteredSession> {
    const session = await this.#use(id);
    if (session === undefined || session.owner !== owner) throw sessionUnknown();
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    return { revision: session.revision, leave: () => this.#leave(id) };
  }

  /** A session that no proxy could serve again is taken back from the server. */
  async begun(id: string, session: Pick<KeptSession, 'path' | 'owner'>): Promise<void> {
    try {
      await this.#options.store.begin(id, { ...session, revision: undefined });
    } catch (error) {
      void this.#options.end(id, session.path);
      throw sessionsUnavailable(error);
    }
  }

  agreed(id: string, revision: string): void {
    this.#note('revision of a session could not be kept', this.#options.store.agree(id, revision));
  }

  ended(id: string): void {
    this.#note('end of a session could not be noted', this.#options.store.end(id));
  }

  close(): void {
    clearInterval(this.#beating);
  }

  async #use(id: string): Promise<KeptSession | undefined> {
    try {
      return await this.#options.store.use(id);
    } catch (error) {
      throw sessionsUnavailable(error);
    }
  }

  #leave(id: string): void {
    const left = (this.#open.get(id) ?? 1) - 1;
    if (left === 0) this.#open.delete(id);
    else this.#open.set(id, left);
  }

  #beat(): void {
    for (const id of this.#open.keys())
      this.#note('a session in use could not be kept', this.#options.store.use(id));
  }

  #note(message: string, noting: Promise<unknown>): void {
    noting.catch((error: unknown) => this.#options.logger.debug({ err: error }, message));
  }
}
