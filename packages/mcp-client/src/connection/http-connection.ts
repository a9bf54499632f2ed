import { hasClaim, type Message, parseServerMessage, writeError } from '@portolan/mcp-protocol';
import type { MessageSender, ReceivedMessage, ServerConnection } from '@portolan/plugin-api';
import type { Channel, ChannelEvents } from '../channel/channel.ts';
import { EventsChannel } from '../channel/events-channel.ts';
import { HttpFault, toHttpFault, writeHttpFault } from '../channel/http-fault.ts';
import { type PendingRequest, PendingRequests } from '../channel/pending-requests.ts';
import { disconnected } from '../channel/session-errors.ts';
import { StreamableChannel } from '../channel/streamable-channel.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type HttpConnectionOptions,
} from './http-connection-options.ts';
import { Inbox } from './inbox.ts';
import { PostSlots } from './post-slots.ts';
import { ServerRoute } from './server-route.ts';

const INVALID_REQUEST = -32600;

/** Connection to an HTTP server. Every request gets a response, unless it is cancelled. */
export class HttpConnection implements ServerConnection {
  readonly #options: HttpConnectionOptions;
  readonly #limits: ConnectionLimits;
  readonly #inbox: Inbox;
  readonly #channel: Channel;
  readonly #pending = new PendingRequests();
  readonly #slots: PostSlots;
  #pendingBytes = 0;
  /** Settles when the server has `notifications/initialized`, which must precede further requests. */
  #initialized: Promise<void> | undefined;
  /** Sender of the last request of a session, for messages of the proxy itself in this session. */
  #sessionSender: MessageSender | undefined;
  #end: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#limits = { ...CONNECTION_LIMITS, ...options.limits };
    this.#inbox = new Inbox(this.#limits);
    this.#slots = new PostSlots(this.#limits.posts);
    const route = new ServerRoute(options, this.#limits);
    const events: ChannelEvents = {
      received: async (text, only) => await this.#received(text, only),
      failed: async (pending, fault) => await this.#failed(pending, fault),
      tell: (line) => options.tell?.(line),
      broken: (error) => this.#broken(toHttpFault(error)),
    };
    this.#channel =
      options.transport === 'sse'
        ? new EventsChannel(route, events)
        : new StreamableChannel(route, events, options.version);
  }

  get received(): AsyncIterable<ReceivedMessage> {
    return this.#inbox;
  }

  async send(text: string, from?: MessageSender): Promise<void> {
    this.#requireOpen();
    const message = parseServerMessage(text);
    if (typeof message === 'string') throw new TypeError(`a message cannot be sent: ${message}`);
    const sender = this.#senderOf(message, from);
    if (message.kind === 'notification' && message.method === 'notifications/initialized') {
      this.#initialized = this.#post(message, sender);
      return await this.#initialized;
    }
    if (this.#initialized !== undefined) await this.#initialized;
    this.#requireOpen();
    if (message.kind === 'request') return await this.#ask(message, sender);
    const cancelled = message.kind === 'notification' ? this.#pending.findCancelled(message) : undefined;
    if (cancelled === undefined) await this.#post(message, sender);
    else await this.#cancel(cancelled, message, sender);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Returns the client whose credentials a message gets. A session belongs to one client, so messages of the proxy
   * itself get those of that client. Without a handshake there is no such client.
   */
  #senderOf(message: Message, sender: MessageSender | undefined): MessageSender | undefined {
    if (message.kind !== 'response' && hasClaim(message)) return sender;
    if (message.kind === 'request' && sender !== undefined) this.#sessionSender = sender;
    return sender ?? this.#sessionSender;
  }

  #requireOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  async #close(): Promise<void> {
    this.#end ??= new Error(`the connection to ${this.#options.name} is closed`);
    this.#pending.abort();
    this.#inbox.end();
    await this.#channel.close();
  }

  /** Starts a request, and does not wait for its response. */
  async #ask(message: Message & { kind: 'request' }, sender: MessageSender | undefined): Promise<void> {
    const { pendingRequests, pendingBytes } = this.#limits;
    const { name } = this.#options;
    if (this.#pending.size >= pendingRequests || this.#pendingBytes + message.text.length > pendingBytes) {
      const fault = new HttpFault('busy', `too many requests to ${name} are pending`);
      return await this.#respond(message, fault, sender);
    }
    const pending = this.#pending.begin(message, sender);
    if (pending === undefined) {
      const error = { code: INVALID_REQUEST, message: 'a request with this id is already pending' };
      return await this.#inbox.push(writeError(message.id, error));
    }
    this.#pendingBytes += message.text.length;
    void this.#channel.ask(pending).finally(() => {
      this.#pendingBytes -= message.text.length;
    });
  }

  /**
   * Cancels a request, which gets no response. Closing the response's stream cancels a request without a
   * handshake. A server with a handshake gets the notification first.
   */
  async #cancel(
    pending: PendingRequest,
    message: Exclude<Message, { kind: 'request' }>,
    sender: MessageSender | undefined,
  ): Promise<void> {
    pending.isCancelled = true;
    this.#channel.cancelled(pending);
    try {
      if (!hasClaim(pending.message)) await this.#post(message, sender);
    } finally {
      this.#pending.end(pending);
      pending.controller.abort();
    }
  }

  async #post(
    message: Exclude<Message, { kind: 'request' }>,
    sender: MessageSender | undefined,
  ): Promise<void> {
    await this.#slots.use(async () => {
      if (this.#end === undefined) await this.#channel.post(message, sender, this.#limits.postMs);
    });
  }

  async #received(text: string, only: PendingRequest | undefined): Promise<void> {
    const message = parseServerMessage(text);
    if (typeof message === 'string') {
      this.#options.tell?.(`an invalid message was ignored: ${message}`);
      return;
    }
    if (message.kind === 'response') {
      const pending = this.#pending.find(message.id.key);
      // The request already has a response, or the id is unknown.
      if (pending === undefined || (only !== undefined && pending !== only)) return;
      this.#pending.end(pending);
      if (!message.isError) this.#channel.succeeded(pending, message.result);
      if (pending.isCancelled) return;
      this.#options.settled?.('responded', pending.sender);
    }
    await this.#inbox.push(text);
  }

  async #failed(pending: PendingRequest, fault: HttpFault): Promise<void> {
    if (pending.isAnswered) return;
    this.#pending.end(pending);
    if (!pending.isCancelled) await this.#respond(pending.message, fault, pending.sender);
  }

  async #respond(
    { id }: Message & { kind: 'request' },
    fault: HttpFault,
    sender: MessageSender | undefined,
  ): Promise<void> {
    this.#options.settled?.(fault, sender);
    const { reason } = fault;
    const { renewal } = this.#options;
    const isRefused = renewal !== undefined && (reason === 'unauthorized' || reason === 'forbidden');
    const message = isRefused ? `${fault.message}. ${renewal}` : fault.message;
    await this.#inbox.push(writeHttpFault(id, fault, message));
  }

  /** Ends the connection. Its pending requests may have run. */
  #broken(fault: HttpFault): void {
    if (this.#end !== undefined) return;
    this.#end = this.#options.newFault?.(fault) ?? fault;
    const pending = this.#pending.list();
    for (const one of pending) void this.#failed(one, disconnected(this.#options.name, fault));
    for (const { controller } of pending) controller.abort();
    this.#inbox.end(this.#end);
  }
}
