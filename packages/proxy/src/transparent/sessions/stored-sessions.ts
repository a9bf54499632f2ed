import type { StoredSession, Logger, SessionStore } from '@portolan/plugin-api';
import { sessionsUnavailable, sessionUnknown } from '../../errors/session-errors.ts';
import type { SessionLife } from '../../sessions/session-life.ts';
import type { BackendSessions, EnteredSession } from './backend-sessions.ts';

export interface StoredSessionsOptions extends SessionLife {
  readonly store: SessionStore;
  readonly end: (id: string, path: string) => Promise<void>;
  readonly logger: Logger;
}

interface OpenRequests {
  readonly path: string;
  messages: number;
  readonly streams: Set<() => void>;
}

/**
 * Returns the milliseconds between two look-ups of the sessions with open requests, which keep them alive in
 * the store.
 */
function beatMs(ttlMs: number): number {
  return Math.min(60_000, Math.max(50, ttlMs / 3));
}

/** Sessions in a store that proxies share. Without the store, the proxy serves no request. */
export class StoredSessions implements BackendSessions {
  readonly #options: StoredSessionsOptions;
  readonly #open = new Map<string, OpenRequests>();
  readonly #beating: NodeJS.Timeout;

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
    this.#beating = setInterval(() => this.#beat(), beatMs(options.ttlMs));
  }

  get size(): number {
    return this.#open.size;
  }

  async enter(id: string, owner: string | undefined, closeStream?: () => void): Promise<EnteredSession> {
    const isUse = closeStream === undefined || this.#options.keptByStreams;
    const session = await this.#look(id, isUse);
    if (session === undefined || session.owner !== owner) throw sessionUnknown();
    const open = this.#open.get(id) ?? { path: session.path, messages: 0, streams: new Set() };
    this.#open.set(id, open);
    if (closeStream === undefined) open.messages += 1;
    else open.streams.add(closeStream);
    return { revision: session.revision, leave: () => this.#leave(id, open, closeStream) };
  }

  /**
   * Records a new session. If the store fails, ends the session at the server, because no proxy could serve
   * it.
   */
  async begun(id: string, session: Pick<StoredSession, 'path' | 'owner'>): Promise<void> {
    try {
      await this.#options.store.begin(id, { ...session, revision: undefined });
    } catch (error) {
      void this.#options.end(id, session.path);
      throw sessionsUnavailable(error);
    }
  }

  agreed(id: string, revision: string): void {
    this.#note('revision of a session could not be stored', this.#options.store.agree(id, revision));
  }

  ended(id: string): void {
    this.#note('end of a session could not be stored', this.#options.store.end(id));
  }

  close(): void {
    clearInterval(this.#beating);
  }

  async #look(id: string, isUse: boolean): Promise<StoredSession | undefined> {
    const { store } = this.#options;
    try {
      return await (isUse ? store.use(id) : store.find(id));
    } catch (error) {
      throw sessionsUnavailable(error);
    }
  }

  #leave(id: string, open: OpenRequests, closeStream: (() => void) | undefined): void {
    if (closeStream === undefined) open.messages -= 1;
    else open.streams.delete(closeStream);
    if (open.messages === 0 && open.streams.size === 0 && this.#open.get(id) === open) this.#open.delete(id);
  }

  #beat(): void {
    const { store, keptByStreams } = this.#options;
    for (const [id, open] of this.#open) {
      const isUse = keptByStreams || open.messages > 0;
      this.#note(
        'a session in use could not be looked up',
        isUse ? store.use(id) : this.#endExpired(id, open),
      );
    }
  }

  /**
   * Closes the streams of an expired session. Also ends the session at the server, because no other proxy may
   * have done so.
   */
  async #endExpired(id: string, open: OpenRequests): Promise<void> {
    const session = await this.#options.store.find(id);
    if (session !== undefined || open.messages > 0) return;
    for (const closeStream of open.streams) closeStream();
    await this.#options.end(id, open.path);
  }

  #note(message: string, noting: Promise<unknown>): void {
    noting.catch((error: unknown) => this.#options.logger.debug({ err: error }, message));
  }
}
