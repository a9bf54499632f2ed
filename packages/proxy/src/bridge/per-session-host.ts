import type { MessageId, ResponseMessage } from '@portolan/mcp-protocol';
import { isPortolanError, type Logger, type PortolanError } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import { proxyClosing, serverFailedToStart } from '../errors/server-errors.ts';
import { sessionsExhausted } from '../errors/session-errors.ts';
import type { ProcessPool } from '../server/process-pool.ts';
import { SessionEviction } from '../sessions/session-eviction.ts';
import type { SessionLife, SessionUse } from '../sessions/session-life.ts';
import { SessionTable, sweepMs } from '../sessions/session-table.ts';
import { listChanges } from '../streams/list-changes.ts';
import type { AskLimits } from './pending-server-requests.ts';
import type { HostStats, McpSession, OpenRequest, SessionHost } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import { OwnSession } from './own-session.ts';
import { type Reply, withEnds } from './reply.ts';

export interface PerSessionHostOptions extends SessionLife {
  readonly pool: ProcessPool;
  readonly maxProcesses: number;
  /** Minimum idle time of a session in milliseconds before the proxy may end it to admit a new session. */
  readonly makesRoomAfterMs: number;
  /**
   * Maximum time in milliseconds for the response to a client's `initialize` on a process that has already
   * received one from the proxy.
   */
  readonly greetAgainMs: number;
  readonly limits: AskLimits;
  readonly counts: Counts;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export class PerSessionHost<Out extends Outlet> implements SessionHost<Out> {
  readonly #options: PerSessionHostOptions;
  readonly #table: SessionTable<OwnSession<Out>>;
  /** Includes sessions whose `initialize` has no response yet. */
  readonly #all = new Set<OwnSession<Out>>();
  readonly #eviction: SessionEviction<OwnSession<Out>>;
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: PerSessionHostOptions) {
    this.#options = options;
    this.#table = new SessionTable(options);
    this.#eviction = new SessionEviction({
      table: this.#table,
      makesRoomAfterMs: options.makesRoomAfterMs,
      awaited: () => options.pool.awaited,
    });
    options.pool.onAwaited(() => this.#eviction.look());
    this.#sweeping = setInterval(() => void this.#table.sweep(), sweepMs(options.ttlMs));
  }

  get stats(): HostStats {
    const { awaited, running } = this.#options.pool;
    const waiting = [...this.#all].reduce((sum, session) => sum + session.waiting, awaited);
    return { sessions: this.#table.size, processes: running, waiting };
  }

  get fault(): string | undefined {
    return this.#options.pool.isFailing ? 'The processes of the server exit repeatedly.' : undefined;
  }

  async open(request: OpenRequest<Out>): Promise<void> {
    const { session, wasAsked } = await this.#start(request);
    const reply = this.#opening(session, request.reply);
    try {
      const opening = wasAsked ? this.#trying(session, request, reply) : reply;
      session.request(request.initialize, opening, request.sender);
    } catch (error) {
      await session.end();
      this.#all.delete(session);
      throw error;
    }
  }

  find(id: string, use?: SessionUse): McpSession<Out> | undefined {
    return this.#table.find(id, use);
  }

  has(id: string): boolean {
    return this.#table.has(id);
  }

  touch(id: string, use?: SessionUse): void {
    this.#table.touch(id, use);
    this.#eviction.look();
  }

  announceListChanges(): void {
    for (const session of this.#all)
      if (session.revision !== '') for (const { message } of listChanges()) session.notified(message);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#eviction.close();
    await Promise.all([...this.#all].map((session) => session.end(proxyClosing())));
    await this.#options.pool.close();
  }

  async #start({ outlet, id, owner, reply, isOurs }: OpenRequest<Out>): Promise<Started<Out>> {
    const { pool, maxProcesses, limits, counts } = this.#options;
    // Every process serves a busy session, so waiting would only time out.
    if (pool.isFull && this.#table.busy >= maxProcesses) throw sessionsExhausted(maxProcesses);
    const link = await pool.acquire({ toAsk: isOurs, isWanted: () => !reply.isGone });
    const { wasAsked } = link;
    const session: OwnSession<Out> = new OwnSession<Out>({
      id,
      owner,
      outlet,
      link,
      limits,
      counts,
      release: (why: PortolanError) =>
        isOurs && session.revision !== '' ? pool.putBack(link) : pool.release(link, why),
      over: (ended) => {
        this.#table.remove(ended);
        this.#all.delete(ended);
        this.#options.logger.debug({ sessions: this.#all.size }, 'session ended');
      },
      answered: (used) => this.touch(used.id),
    });
    this.#all.add(session);
    return { session, wasAsked };
  }

  /**
   * Tries another process when this one refuses the client's `initialize` or responds too late, because some
   * servers accept only one `initialize`.
   */
  #trying(session: OwnSession<Out>, request: OpenRequest<Out>, reply: Reply): Reply {
    let isOver = false;
    const again = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      session.abandon();
      this.open(request).catch((error: unknown) => {
        reply.fail(isPortolanError(error) ? error : serverFailedToStart(error), request.initialize.id);
      });
    };
    const timer = setTimeout(again, this.#options.greetAgainMs);
    return withEnds(reply, {
      respond: (response) => {
        if (response.isError) {
          again();
          return;
        }
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        reply.respond(response);
      },
      fail: again,
    });
  }

  /**
   * Registers the session once the server accepts and the client is still connected; otherwise gives up the
   * process.
   */
  #opening(session: OwnSession<Out>, reply: Reply): Reply {
    return withEnds(reply, {
      respond: (response: ResponseMessage) => {
        const isAgreed = !response.isError && !reply.isGone;
        if (isAgreed) {
          this.#options.pool.succeeded();
          this.#table.add(session);
          this.#options.logger.debug({ sessions: this.#all.size }, 'session began');
          this.#eviction.look();
          reply.beginSession(session.id);
        }
        reply.respond(response);
        if (isAgreed) return;
        session.outlet.refused();
        session.abandon();
      },
      fail: (error: PortolanError, id: MessageId) => {
        reply.fail(error, id);
        void session.end();
      },
    });
  }
}

interface Started<Out extends Outlet> {
  readonly session: OwnSession<Out>;
  readonly wasAsked: boolean;
}
