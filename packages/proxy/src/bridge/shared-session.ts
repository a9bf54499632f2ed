import {
  findValue,
  type MessageId,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readId,
  TransientMap,
} from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { requestCancelled } from '../errors/server-errors.ts';
import { sessionEnded } from '../errors/session-errors.ts';
import type { ServerRequest } from '../server/server-request.ts';
import type { McpSession } from './mcp-session.ts';
import type { Outlet, SessionMessage } from './outlet.ts';
import { type Reply, withEnds } from './reply.ts';

export interface SharedProcess<Out extends Outlet> {
  request(session: SharedSession<Out>, message: RequestMessage, reply: Reply): ServerRequest | undefined;
  cancel(request: ServerRequest, notice: NotificationMessage): void;
  abandon(request: ServerRequest): void;
  droppedClientAnswer(): void;
  over(session: SharedSession<Out>): void;
}

export type OpenedSession<Out extends Outlet> = Pick<McpSession<Out>, 'id' | 'owner' | 'outlet' | 'revision'>;

interface Waiting {
  readonly id: MessageId;
  /** Request to the server. Undefined when the host sends one request for several sessions. */
  request: ServerRequest | undefined;
  readonly reply: Reply;
  isOver: boolean;
}

/**
 * Session on a process that several clients share. The client gets the responses to its own requests, and
 * notifications for this session or for all sessions.
 */
export class SharedSession<Out extends Outlet> implements McpSession<Out> {
  readonly id: string;
  readonly owner: string | undefined;
  readonly outlet: Out;
  readonly revision: string;
  readonly #process: SharedProcess<Out>;
  readonly #waiting = new TransientMap<string, Waiting>();
  #hasEnded = false;

  constructor(opened: OpenedSession<Out>, process: SharedProcess<Out>) {
    const { id, owner, outlet, revision } = opened;
    this.id = id;
    this.owner = owner;
    this.outlet = outlet;
    this.revision = revision;
    this.#process = process;
    outlet.agree(revision);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isBusy(): boolean {
    return this.isWaiting || this.outlet.isOpen;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  request(message: RequestMessage, reply: Reply): void {
    const { key } = message.id;
    const waiting: Waiting = { id: message.id, request: undefined, reply, isOver: false };
    const settle = (): boolean => {
      const { isOver } = waiting;
      waiting.isOver = true;
      // A newer request may have the same id.
      if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
      return !isOver;
    };
    const ends = withEnds(reply, {
      respond: (response) => {
        if (settle()) reply.respond(response);
      },
      fail: (error, id) => {
        if (settle()) reply.fail(error, id);
      },
    });
    this.#waiting.set(key, waiting);
    try {
      waiting.request = this.#process.request(this, message, ends);
    } catch (error) {
      settle();
      throw error;
    }
  }

  /**
   * Forwards only cancellations. The host has already sent `notifications/initialized`, and other
   * notifications of one client must not affect the rest.
   */
  notify(message: NotificationMessage): void {
    if (message.method !== 'notifications/cancelled') return;
    const span = findValue(message.text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(message.text.slice(span.start, span.end));
    const waiting = id === undefined ? undefined : this.#waiting.get(id.key);
    if (id === undefined || waiting === undefined) return;
    if (waiting.request !== undefined) this.#process.cancel(waiting.request, message);
    else this.#fail(waiting, requestCancelled());
  }

  /** Does nothing, because a shared process may not send requests to clients. */
  respond(_message: ResponseMessage): void {
    this.#process.droppedClientAnswer();
  }

  deliver(message: SessionMessage): void {
    this.outlet.deliver(
      message,
      this.#waiting.list().map(({ reply }) => reply),
    );
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const waiting of this.#waiting.list()) {
      if (waiting.request !== undefined) this.#process.abandon(waiting.request);
      else this.#fail(waiting, sessionEnded());
    }
    this.#process.over(this);
    this.outlet.close();
  }

  /** Fails a client's request with `why`, even if the server may still respond to the host. */
  #fail(waiting: Waiting, why: PortolanError): void {
    const { id, reply } = waiting;
    waiting.isOver = true;
    if (this.#waiting.get(id.key) === waiting) this.#waiting.delete(id.key);
    reply.fail(why, id);
  }
}
