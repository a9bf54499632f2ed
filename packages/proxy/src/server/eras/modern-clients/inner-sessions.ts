import type { NotificationMessage, ResponseMessage } from '@portolan/mcp-protocol';
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

/** Inner sessions with a Legacy server, by caller. A session never changes its caller. */
export class InnerSessions {
  readonly #options: InnerSessionsOptions;
  readonly #sessions = new Map<InnerSession, string>();
  readonly #opening = new Map<string, number>();
  readonly #starts = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting: Waiting[] = [];
  readonly #sweeping: NodeJS.Timeout;
  #handshake: ResponseMessage | undefined;
  #isClosed = false;

  constructor(options: InnerSessionsOptions) {
    this.#options = options;
    const { unusedMs } = options.context.limits;
    this.#sweeping = setInterval(() => this.#sweep(), Math.max(100, unusedMs / 2));
    this.#sweeping.unref();
  }

  /** Response to `initialize` of any session. */
  get handshake(): ResponseMessage | undefined {
    return this.#handshake;
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

  /** Closes the session that has been idle for the longest time. Returns false when none is idle. */
  #evict(): boolean {
    const [idlest] = [...this.#sessions.keys()]
      .filter(({ running, parked }) => running === 0 && parked === 0)
      .toSorted((left, right) => left.lastUsedMs - right.lastUsedMs);
    if (idlest === undefined) return false;
    this.#end(idlest);
    return true;
  }

  async #open(use: SessionUse): Promise<void> {
    const { key } = use.caller;
    this.#opening.set(key, (this.#opening.get(key) ?? 0) + 1);
    try {
      const session = await this.#openSession(use.caller);
      this.#countOpened(key);
      this.#handshake = session.handshake;
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
    return () => void remove();
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
    const ending = session.close();
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
    if (!this.#isClosed) this.#dispatch();
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
