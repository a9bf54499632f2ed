import type { StoredSession, Logger } from '@portolan/plugin-api';
import { sessionUnknown } from '../../errors/session-errors.ts';
import type { SessionLife } from '../../sessions/session-life.ts';
import { SessionTable, sweepMs, type TabledSession } from '../../sessions/session-table.ts';
import type { BackendSessions, EnteredSession } from './backend-sessions.ts';

export interface RememberedSessionsOptions extends SessionLife {
  /** Ends a session at the server. Never rejects. */
  readonly end: (id: string, path: string) => Promise<void>;
  /** Whether to forward a session id that the proxy does not know. True when callers do not authenticate. */
  readonly trustsUnknown: boolean;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/** Maximum number of known and of ended sessions. The server decides about evicted ones. */
const MAX_KNOWN = 10_000;

const NOTHING_KNOWN: EnteredSession = { revision: undefined, leave: () => undefined };

class RememberedSession implements TabledSession {
  readonly id: string;
  readonly owner: string | undefined;
  revision: string | undefined;
  messages = 0;
  readonly streams = new Set<() => void>();
  readonly #end: () => Promise<void>;

  constructor(id: string, owner: string | undefined, end: () => Promise<void>) {
    this.id = id;
    this.owner = owner;
    this.#end = end;
  }

  get isBusy(): boolean {
    return this.isWaiting || this.streams.size > 0;
  }

  get isWaiting(): boolean {
    return this.messages > 0;
  }

  end(): Promise<void> {
    for (const closeStream of this.streams) closeStream();
    return this.#end();
  }
}

/**
 * Sessions in memory. When callers do not authenticate, the proxy forwards an unknown id, which may be from
 * before a restart. With policies, an HTTP+SSE session ends with its stream.
 */
export class RememberedSessions implements BackendSessions {
  readonly #options: RememberedSessionsOptions;
  readonly #table: SessionTable<RememberedSession>;
  readonly #over = new Set<string>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: RememberedSessionsOptions) {
    this.#options = options;
    this.#table = new SessionTable(options);
    this.#sweeping = setInterval(() => void this.#table.sweep(), sweepMs(options.ttlMs));
  }

  get size(): number {
    return this.#table.size;
  }

  enter(id: string, owner: string | undefined, closeStream?: () => void): EnteredSession {
    if (this.#over.has(id)) throw sessionUnknown();
    const session = this.#table.find(id, closeStream === undefined ? 'message' : 'stream');
    if (session !== undefined && session.owner === owner) return this.#use(session, closeStream);
    if (session === undefined && this.#table.isExpired(id)) void this.#table.sweep();
    else if (session === undefined && owner === undefined && this.#options.trustsUnknown)
      return NOTHING_KNOWN;
    throw sessionUnknown();
  }

  begun(id: string, { path, owner }: Pick<StoredSession, 'path' | 'owner'>): undefined {
    if (this.#table.has(id)) return;
    if (this.#table.size >= MAX_KNOWN) {
      const idle = this.#table.findIdlest();
      if (idle === undefined) return;
      this.#table.remove(idle.session);
    }
    this.#over.delete(id);
    this.#table.add(new RememberedSession(id, owner, () => this.#expire(id, path)));
    this.#options.logger.debug({ sessions: this.#table.size }, 'session began');
  }

  agreed(id: string, revision: string): void {
    const session = this.#table.find(id);
    if (session !== undefined) session.revision = revision;
  }

  ended(id: string): void {
    const session = this.#table.find(id);
    if (session === undefined) return;
    this.#table.remove(session);
    this.#options.logger.debug({ sessions: this.#table.size }, 'session ended');
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #use(session: RememberedSession, closeStream: (() => void) | undefined): EnteredSession {
    const { revision } = session;
    if (closeStream !== undefined) {
      session.streams.add(closeStream);
      const leave = (): void => {
        session.streams.delete(closeStream);
        this.#table.touch(session.id, 'stream');
      };
      return { revision, leave };
    }
    session.messages += 1;
    const leave = (): void => {
      session.messages -= 1;
      this.#table.touch(session.id);
    };
    return { revision, leave };
  }

  async #expire(id: string, path: string): Promise<void> {
    this.#options.logger.debug({ sessions: this.#table.size }, 'session expired');
    this.#over.add(id);
    const [oldest] = this.#over;
    if (this.#over.size > MAX_KNOWN && oldest !== undefined) this.#over.delete(oldest);
    await this.#options.end(id, path);
  }
}
