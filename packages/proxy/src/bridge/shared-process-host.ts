import {
  revisionUnsupported,
  PING,
  BATCHES_IN,
  memberOf,
  type NotificationMessage,
  type RequestMessage,
  writeError,
  writeNotification,
  writeResult,
} from '@portolan/mcp-protocol';
import type { Logger } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import { serverNotStarted } from '../errors/server-errors.ts';
import { sessionEnded, sessionsExhausted, sessionUnknown } from '../errors/session-errors.ts';
import type { ProcessPool } from '../server/process-pool.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { LinkListener } from '../server/link-inbox.ts';
import type { ServerRequest } from '../server/server-request.ts';
import { mintSessionId } from '../sessions/session-id.ts';
import type { SessionLife, SessionUse } from '../sessions/session-life.ts';
import { SessionTable, sweepMs } from '../sessions/session-table.ts';
import { listChanges } from '../streams/list-changes.ts';
import { agreeRevision, greet, type Greeting, repeatGreeting } from './handshake.ts';
import type { HostStats, McpSession, OpenRequest, SessionHost } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import type { Reply } from './reply.ts';
import { SharedSession, type SharedProcess } from './shared-session.ts';
import { TaskOwners } from './task-owners.ts';
import { isSubscription, SharedSubscriptions } from './shared-subscriptions.ts';

export interface SharedProcessHostOptions extends SessionLife {
  readonly pool: ProcessPool;
  readonly maxSessions: number;
  readonly keepsSessions: boolean;
  /**
   * Called when the handshake with the server begins. `agrees` settles with whether the server accepted, and
   * never rejects.
   */
  readonly handshakeBegins?: ((agrees: Promise<boolean>) => void) | undefined;
  /**
   * Returns the revisions without a handshake that the process serves, while clients without a handshake use
   * it. Undefined when such clients never use this process.
   */
  readonly takenFor?: (() => Promise<readonly string[] | undefined>) | undefined;
  /** Minimum idle time of a session in milliseconds before the proxy may end it to admit a new session. */
  readonly makesRoomAfterMs: number;
  readonly version: string;
  readonly counts: Counts;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

interface Greeted {
  readonly link: ServerLink;
  readonly greeting: Greeting;
}

const TASK_STATUS = 'notifications/tasks/status';
const UPDATED = 'notifications/resources/updated';

/**
 * Cancellation of a request whose session has ended. `ServerLink` replaces the request id before it sends the
 * notification.
 */
const ABANDONED: NotificationMessage = {
  kind: 'notification',
  text: writeNotification('notifications/cancelled', '{"requestId":0,"reason":"the session has ended"}'),
  method: 'notifications/cancelled',
  params: undefined,
};

/** Runs all sessions on one process, for servers that can run only once. */
export class SharedProcessHost<Out extends Outlet>
  implements SessionHost<Out>, SharedProcess<Out>, LinkListener
{
  readonly #options: SharedProcessHostOptions;
  readonly #table: SessionTable<SharedSession<Out>>;
  readonly #subscriptions: SharedSubscriptions<SharedSession<Out>>;
  readonly #tasks = new TaskOwners<SharedSession<Out>>();
  readonly #sweeping: NodeJS.Timeout;
  #greeted: Promise<Greeted> | undefined;
  #link: ServerLink | undefined;
  #revision = '';

  constructor(options: SharedProcessHostOptions) {
    this.#options = options;
    this.#table = new SessionTable(options);
    this.#subscriptions = new SharedSubscriptions({
      forward: (...request) => this.#forward(...request),
      link: () => this.#link,
      logger: options.logger,
    });
    this.#sweeping = setInterval(() => void this.#table.sweep(), sweepMs(options.ttlMs));
  }

  get stats(): HostStats {
    const { pool } = this.#options;
    const waiting = pool.awaited + (this.#link?.waiting ?? 0);
    return { sessions: this.#table.size, processes: pool.running, waiting };
  }

  get takesBatches(): boolean {
    return this.#revision === BATCHES_IN;
  }

  get fault(): string | undefined {
    return this.#options.pool.isFailing ? 'The process of the server exits repeatedly.' : undefined;
  }

  async open({ initialize, outlet, id, owner, reply }: OpenRequest<Out>): Promise<void> {
    await this.#refuseWhenTaken(memberOf(initialize.params, 'protocolVersion'));
    const { greeting } = await this.#greet();
    const revision = agreeRevision(initialize, greeting.revision);
    if (this.#options.keepsSessions && !greeting.response.isError && !reply.isGone) {
      this.#makeRoom();
      this.#table.add(new SharedSession({ id, owner, outlet, revision }, this));
      this.#options.logger.debug({ sessions: this.#table.size }, 'session began');
      reply.beginSession(id);
    } else outlet.refused();
    reply.respond(repeatGreeting(greeting, initialize.id, revision));
  }

  /**
   * Opens a session for a single request of a stateless client. No later request can find the session. The
   * caller ends it.
   */
  async pass(outlet: Out, revision: string): Promise<McpSession<Out>> {
    await this.#refuseWhenTaken(revision);
    const { greeting } = await this.#greet();
    if (greeting.response.isError) throw serverNotStarted();
    return new SharedSession({ id: mintSessionId(), owner: undefined, outlet, revision }, this);
  }

  /** Throws ERR_REVISION_UNSUPPORTED while clients without a handshake use the process. */
  async #refuseWhenTaken(revision: unknown): Promise<void> {
    const revisions = await this.#options.takenFor?.();
    if (revisions !== undefined) throw revisionUnsupported(String(revision), revisions);
  }

  #makeRoom(): void {
    const { maxSessions, makesRoomAfterMs } = this.#options;
    if (this.#table.size < maxSessions) return;
    const idle = this.#table.findIdlest();
    if (idle === undefined || idle.idleMs < makesRoomAfterMs) throw sessionsExhausted(maxSessions);
    void idle.session.end();
  }

  find(id: string, use?: SessionUse): McpSession<Out> | undefined {
    return this.#table.find(id, use);
  }

  has(id: string): boolean {
    return this.#table.has(id);
  }

  touch(id: string, use?: SessionUse): void {
    this.#table.touch(id, use);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    // Close the processes before the sessions, so that pending requests get their errors on open streams.
    await this.#options.pool.close();
    await this.#table.close();
  }

  request(session: SharedSession<Out>, message: RequestMessage, reply: Reply): ServerRequest | undefined {
    const uri = memberOf(message.params, 'uri');
    if (!isSubscription(message) || typeof uri !== 'string')
      return this.#forward(session, message, reply, () => undefined);
    this.#subscriptions.change({ session, uri, message, reply });
    return undefined;
  }

  cancel(request: ServerRequest, notice: NotificationMessage): void {
    this.#link?.cancel(request, notice);
  }

  abandon(request: ServerRequest): void {
    this.#link?.abandon(request, ABANDONED, sessionEnded());
  }

  droppedClientAnswer(): void {
    this.#options.counts.droppedClientAnswers += 1;
  }

  over(session: SharedSession<Out>): void {
    this.#table.remove(session);
    this.#options.logger.debug({ sessions: this.#table.size }, 'session ended');
    this.#tasks.forget(session);
    this.#subscriptions.end(session);
  }

  requested(request: RequestMessage): void {
    const response =
      request.method === 'ping'
        ? writeResult(request.id, {})
        : writeError(request.id, {
            code: -32601,
            message: 'Requests to clients are not supported, because several clients share this process.',
          });
    if (request.method !== 'ping') this.#options.counts.refusedServerRequests += 1;
    this.#tell(response);
  }

  announceListChanges(): void {
    for (const { message } of listChanges()) this.notified(message);
  }

  notified({ method, params, text }: NotificationMessage): void {
    const uri = memberOf(params, 'uri');
    if (method.endsWith('/list_changed')) {
      for (const session of this.#table.list()) session.deliver({ text, mayDrop: true, sameAs: method });
    } else if (method === TASK_STATUS) {
      const owner = this.#tasks.ownerOf(memberOf(params, 'taskId'));
      if (owner === undefined) this.#options.counts.droppedNotifications += 1;
      else owner.deliver({ text, mayDrop: true });
    } else if (method === UPDATED && typeof uri === 'string') {
      for (const session of this.#subscriptions.of(uri)) session.deliver({ text, mayDrop: true });
    } else {
      this.#options.counts.droppedNotifications += 1;
    }
  }

  ended(): void {
    this.#link = undefined;
    this.#greeted = undefined;
    this.#subscriptions.clear();
    this.#tasks.clear();
    void this.#table.close();
  }

  /**
   * Returns the result of the handshake with the server, which the first client triggers. A failed handshake
   * is not cached.
   */
  #greet(): Promise<Greeted> {
    if (this.#greeted !== undefined) return this.#greeted;
    const greeted = this.#start();
    this.#greeted = greeted;
    const agrees = greeted.then(
      ({ greeting }) => !greeting.response.isError,
      () => false,
    );
    void this.#forgetFailure(greeted, agrees);
    this.#options.handshakeBegins?.(agrees);
    return greeted;
  }

  async #forgetFailure(greeted: Promise<Greeted>, agrees: Promise<boolean>): Promise<void> {
    if (!(await agrees) && this.#greeted === greeted) this.#greeted = undefined;
  }

  async #start(): Promise<Greeted> {
    const { pool, version } = this.#options;
    const link = await pool.acquire();
    try {
      const greeting = await greet(link, version);
      if (greeting.response.isError) await pool.release(link, sessionEnded());
      else {
        this.#link = link;
        this.#revision = greeting.revision;
        link.listen(this);
        link.watch(PING);
      }
      return { link, greeting };
    } catch (error) {
      await pool.release(link, sessionEnded());
      throw error;
    }
  }

  #forward(
    session: SharedSession<Out>,
    message: RequestMessage,
    reply: Reply,
    settled: (succeeded: boolean) => void,
  ): ServerRequest | undefined {
    const link = this.#link;
    if (link === undefined) {
      settled(false);
      reply.fail(sessionUnknown(), message.id);
      return undefined;
    }
    return link.request(message, {
      answered: (response) => {
        this.#table.touch(session.id);
        settled(!response.isError);
        this.#tasks.note(session, message, response);
        reply.respond(response);
      },
      progressed: (text) => reply.progressed(text),
      failed: (error) => {
        this.#table.touch(session.id);
        settled(false);
        reply.fail(error, message.id);
      },
    });
  }

  #tell(text: string): void {
    try {
      this.#link?.send(text);
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'server does not read its input');
    }
  }
}
