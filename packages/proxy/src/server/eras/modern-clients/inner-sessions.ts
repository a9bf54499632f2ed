import type { NotificationMessage } from '@portolan/mcp-protocol';
import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { proxyClosing, serverFailedToStart } from '../../../errors/server-errors.ts';
import type { Caller } from './caller.ts';
import type { EraContext } from '../era-options.ts';
import { InnerSession } from './inner-session.ts';
import type { ServerEras } from '../server-eras.ts';

export interface InnerSessionsOptions {
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly notified: (notification: NotificationMessage, caller: Caller) => void;
}

/** Call that needs an inner session. */
export interface SessionUse {
  readonly caller: Caller;
  /** Called at most once, with a session that carries no other running call. */
  use(session: InnerSession): void;
  failed(error: PortolanError): void;
}

interface Waiting {
  readonly use: SessionUse;
  readonly timer: NodeJS.Timeout;
}

/** Gives calls a session with a Legacy server. */
export interface SessionSource {
  /** Session whose handshake says what the server supports. It may have ended. */
  readonly known: InnerSession | undefined;
  /** Finds or opens a session. Returns a function that withdraws the request. */
  serve(use: SessionUse): () => void;
  close(): Promise<void>;
}

/** Gives all calls the same session, for a server that runs as one process. */
export class OneSession implements SessionSource {
  readonly known: InnerSession;

  constructor(session: InnerSession) {
    this.known = session;
  }

  serve(use: SessionUse): () => void {
    use.use(this.known);
    return () => undefined;
  }

  /** Does nothing, because the session belongs to all clients. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Inner sessions with a Legacy server, by caller. A session never changes its caller. */
export class InnerSessions implements SessionSource {
  readonly #options: InnerSessionsOptions;
  readonly #sessions = new Map<InnerSession, string>();
  readonly #opening = new Map<string, number>();
  readonly #starts = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting: Waiting[] = [];
  readonly #sweeping: NodeJS.Timeout;
  #known: InnerSession | undefined;
  #dispatching: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: InnerSessionsOptions) {
    this.#options = options;
    const { unusedMs } = options.context.limits;
    this.#sweeping = setInterval(() => this.#sweep(), Math.max(100, unusedMs / 2));
    this.#sweeping.unref();
  }

  /** Session whose handshake says what the server supports. It may have ended. */
  get known(): InnerSession | undefined {
    return this.#known;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Finds or opens a session. Returns a function that withdraws the request. */
  serve(use: SessionUse): () => void {
    if (this.#isClosed) use.failed(proxyClosing());
    else if (!this.#tryToServe(use)) return this.#wait(use);
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    clearTimeout(this.#dispatching);
    for (const { use, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      use.failed(proxyClosing());
    }
    await Promise.all([...this.#sessions.keys()].map((session) => session.close(proxyClosing())));
    await Promise.all(this.#starts);
    await Promise.all(this.#ending);
  }

  /** Returns false when the call has to wait. */
  #tryToServe(use: SessionUse): boolean {
    const { key } = use.caller;
    const free = [...this.#sessions].flatMap(([session, own]) =>
      own === key && session.running === 0 && !session.hasEnded ? [session] : [],
    );
    const unused = free.find(({ parked }) => parked === 0);
    if (unused === undefined && this.#mayOpen(key)) {
      const start = this.#open(use);
      this.#starts.add(start);
      void start.then(() => this.#starts.delete(start));
      return true;
    }
    const session = unused ?? free.toSorted((left, right) => left.parked - right.parked)[0];
    if (session === undefined) return false;
    use.use(session);
    return true;
  }

  #mayOpen(key: string): boolean {
    const { maxSessions, maxSessionsPerKey } = this.#options.context.limits;
    const ofKey = [...this.#sessions.values()].filter((own) => own === key).length;
    if (ofKey + (this.#opening.get(key) ?? 0) >= maxSessionsPerKey) return false;
    const opening = [...this.#opening.values()].reduce((sum, count) => sum + count, 0);
    return this.#sessions.size + opening < maxSessions || this.#evict();
  }

  /**
   * Closes the idle session that was used least recently. If there is none, closes one whose calls have been parked
   * for some time, so that abandoned calls do not block other callers. Returns false when there is none either.
   */
  #evict(): boolean {
    const { context } = this.#options;
    const beforeMs = context.nowMs() - context.limits.makesRoomAfterMs;
    const [first] = [...this.#sessions.keys()]
      .filter(({ running, parked, lastUsedMs }) => running === 0 && (parked === 0 || lastUsedMs <= beforeMs))
      .toSorted(
        (left, right) =>
          Number(left.parked > 0) - Number(right.parked > 0) || left.lastUsedMs - right.lastUsedMs,
      );
    if (first === undefined) return false;
    this.#sessions.delete(first);
    this.#close(first);
    return true;
  }

  async #open(use: SessionUse): Promise<void> {
    const { key } = use.caller;
    this.#opening.set(key, (this.#opening.get(key) ?? 0) + 1);
    try {
      const session = await this.#openSession(use.caller);
      this.#countOpened(key);
      this.#known = session;
      if (!session.hasEnded) this.#sessions.set(session, key);
      if (this.#isClosed) use.failed(proxyClosing());
      else use.use(session);
    } catch (error) {
      this.#countOpened(key);
      use.failed(isPortolanError(error) ? error : serverFailedToStart(error));
    }
    if (!this.#isClosed) this.#dispatch();
  }

  async #openSession(caller: Caller): Promise<InnerSession> {
    const session = await InnerSession.open({
      ...this.#options,
      capabilities: caller.capabilities,
      clientInfo: caller.clientInfo,
      sender: caller.sender,
      notified: (notification) => this.#options.notified(notification, caller),
      freed: () => this.#dispatch(),
      ended: (ended) => this.#end(ended),
    });
    if (!this.#isClosed) return session;
    await session.close(proxyClosing());
    throw proxyClosing();
  }

  #countOpened(key: string): void {
    const left = (this.#opening.get(key) ?? 0) - 1;
    if (left > 0) this.#opening.set(key, left);
    else this.#opening.delete(key);
  }

  #wait(use: SessionUse): () => void {
    const { maxWaiting, waitMs } = this.#options.context.limits;
    if (this.#waiting.length >= maxWaiting) {
      use.failed(callsExhausted());
      return () => undefined;
    }
    const remove = (): boolean => {
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      clearTimeout(waiting.timer);
      return at >= 0;
    };
    const expire = (): void => {
      if (remove()) use.failed(callsExhausted());
    };
    const waiting: Waiting = { use, timer: setTimeout(expire, waitMs) };
    this.#waiting.push(waiting);
    this.#dispatchLater();
    return () => void remove();
  }

  /** Tries again when a session with parked calls may be closed. */
  #dispatchLater(): void {
    if (this.#dispatching !== undefined || this.#isClosed || this.#waiting.length === 0) return;
    this.#dispatching = setTimeout(() => {
      this.#dispatching = undefined;
      this.#dispatch();
      this.#dispatchLater();
    }, this.#options.context.limits.makesRoomAfterMs);
  }

  /** Serves waiting calls, in the order of their arrival per caller. */
  #dispatch(): void {
    for (const waiting of this.#waiting.slice()) {
      const at = this.#waiting.indexOf(waiting);
      if (at < 0) continue;
      this.#waiting.splice(at, 1);
      if (this.#tryToServe(waiting.use)) clearTimeout(waiting.timer);
      else this.#waiting.splice(at, 0, waiting);
    }
  }

  #end(session: InnerSession): void {
    this.#sessions.delete(session);
    this.#close(session);
    if (!this.#isClosed) this.#dispatch();
  }

  #close(session: InnerSession): void {
    const ending = session.close();
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }

  #sweep(): void {
    const { context } = this.#options;
    const { idleMs, unusedMs } = context.limits;
    for (const session of this.#sessions.keys()) {
      const { running, parked, lastUsedMs, hasCarriedCalls } = session;
      const maxMs = hasCarriedCalls ? idleMs : unusedMs;
      if (running === 0 && parked === 0 && context.nowMs() - lastUsedMs >= maxMs) this.#end(session);
    }
  }
}

/** Creates the error for more calls than the inner sessions of a server can carry. */
function callsExhausted(): PortolanError {
  return new PortolanError('ERR_SERVER_BUSY', 'busy', 'All sessions with the server are in use.', {
    hint: 'Try again later, or send fewer calls at the same time.',
    retryAfterSeconds: 5,
  });
}
