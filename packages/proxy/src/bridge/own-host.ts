import type { PortolanError } from '@portolan/plugin-api';
import type { Counts } from '../counts.ts';
import { proxyClosing, sessionsExhausted } from '../errors.ts';
import type { MessageId, RequestMessage, ResponseMessage } from '../message/message.ts';
import type { ProcessPool } from '../server/process-pool.ts';
import { SessionTable } from '../sessions/session-table.ts';
import type { AskLimits } from './asked-client.ts';
import type { HostStats, McpSession, SessionHost } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import { OwnSession } from './own-session.ts';
import type { Reply } from './reply.ts';

export interface OwnHostOptions {
  readonly pool: ProcessPool;
  readonly mostProcesses: number;
  readonly ttlMs: number;
  /** How long a session has been idle at least before it may have to make room, in milliseconds. */
  readonly makesRoomAfterMs: number;
  readonly limits: AskLimits;
  readonly counts: Counts;
  readonly clock: () => Date;
}

/** Gives each session a process of its own. */
export class OwnHost<Out extends Outlet> implements SessionHost<Out> {
  readonly #options: OwnHostOptions;
  readonly #table: SessionTable<OwnSession<Out>>;
  /** Those whose `initialize` is not answered yet included. */
  readonly #all = new Set<OwnSession<Out>>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: OwnHostOptions) {
    this.#options = options;
    this.#table = new SessionTable(options);
    this.#sweeping = setInterval(() => void this.#table.sweep(), Math.max(1, options.ttlMs / 2));
  }

  get stats(): HostStats {
    const waiting = [...this.#all].reduce((sum, session) => sum + session.waiting, 0);
    return { sessions: this.#table.size, processes: this.#options.pool.running, waiting };
  }

  get fault(): string | undefined {
    return this.#options.pool.isFailing ? 'The processes of the server end again and again.' : undefined;
  }

  async open(initialize: RequestMessage, outlet: Out, id: string, reply: Reply): Promise<void> {
    const session = await this.#start(outlet, id);
    try {
      session.request(initialize, this.#opening(session, reply));
    } catch (error) {
      await session.end();
      this.#all.delete(session);
      throw error;
    }
  }

  find(id: string): McpSession<Out> | undefined {
    return this.#table.find(id);
  }

  has(id: string): boolean {
    return this.#table.has(id);
  }

  touch(id: string): void {
    this.#table.touch(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#all].map((session) => session.end(proxyClosing())));
    await this.#options.pool.close();
  }

  async #start(outlet: Out, id: string): Promise<OwnSession<Out>> {
    const { pool, mostProcesses, makesRoomAfterMs, limits, counts } = this.#options;
    if (pool.isFull && !(await this.#table.endLongestIdle(makesRoomAfterMs))) {
      throw sessionsExhausted(mostProcesses);
    }
    const link = await pool.acquire();
    const session = new OwnSession<Out>({
      id,
      outlet,
      link,
      limits,
      counts,
      release: (why: PortolanError) => pool.release(link, why),
      over: (ended) => {
        this.#table.remove(ended);
        this.#all.delete(ended);
      },
      answered: (used) => this.#table.touch(used.id),
    });
    this.#all.add(session);
    return session;
  }

  /** The session is there once the server has agreed, and a client is still there to use it. */
  #opening(session: OwnSession<Out>, reply: Reply): Reply {
    return {
      get isStreaming() {
        return reply.isStreaming;
      },
      get canStream() {
        return reply.canStream;
      },
      get isGone() {
        return reply.isGone;
      },
      carry: (text, mayDrop) => reply.carry(text, mayDrop),
      beginSession: (id) => reply.beginSession(id),
      answer: (answer: ResponseMessage) => {
        const isAgreed = !answer.isError && !reply.isGone;
        if (isAgreed) {
          this.#options.pool.succeeded();
          this.#table.add(session);
          reply.beginSession(session.id);
        }
        reply.answer(answer);
        // Afterwards: it takes the streams with it.
        if (!isAgreed) void session.end();
      },
      fail: (error: PortolanError, id: MessageId) => {
        reply.fail(error, id);
        void session.end();
      },
    };
  }
}
