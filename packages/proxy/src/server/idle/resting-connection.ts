import {
  DISCOVER,
  findAnsweredId,
  findValue,
  type Message,
  type MessageId,
  type NotificationMessage,
  parseServerMessage,
  readId,
  type RequestMessage,
  type ResponseMessage,
  splitServerBatch,
  writeResult,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type Logger,
  type MessageBackend,
  type MessageSender,
  type OpenConnection,
  type PortolanError,
  type ReceivedMessage,
  type ServerConnection,
  untilAborted,
} from '@portolan/plugin-api';
import { serverFailedToStart, serverNotStarted } from '../../errors/server-errors.ts';
import { LARGE_MESSAGE } from '../../request/turn.ts';
import { FailedRequest } from '../failed-request.ts';
import { ConnectionActivity } from './connection-activity.ts';
import { MessageHandover } from './message-handover.ts';
import { SessionHandshake } from './session-handshake.ts';

export interface RestingOptions {
  /** Starts a process of the server, and the server itself when it does not run. */
  readonly open: OpenConnection;
  /** Maximum time for a resting connection to start its server and repeat the handshake, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Returns the response to a request without the server, while the server does not run and the response is known. */
  readonly respond?: MessageBackend['respondAtRest'];
  /** Called once, when the connection is closed or its process has ended. */
  readonly over: (connection: RestingConnection) => void;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/** Errors that a whole connection ends with. Others fail only the requests that wait. */
const ENDS_CONNECTION: readonly string[] = ['ERR_SESSION_UNKNOWN'];

/**
 * Connection that outlives its process. `rest` ends the process. The next request starts another process, to which
 * the connection first repeats the handshake. Clients notice only the delay.
 */
export class RestingConnection implements ServerConnection {
  readonly #options: RestingOptions;
  readonly #activity: ConnectionActivity;
  readonly #handshake = new SessionHandshake();
  readonly #handover = new MessageHandover();
  readonly #stop = new AbortController();
  /** Requests that neither start the server nor keep it running, such as pings, until their response. */
  readonly #quiet = new Map<string, RequestMessage>();
  /** Ids of repeated requests, whose responses are not for the client. */
  #unwanted: ReadonlySet<string> = new Set();
  #inner: ServerConnection | undefined;
  #waking: Promise<ServerConnection> | undefined;
  #resting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasResponded = false;
  #isOver = false;

  private constructor(options: RestingOptions) {
    this.#options = options;
    this.#activity = new ConnectionActivity(options.nowMs);
  }

  /** Opens a connection with a running process. Throws what `open` throws. */
  static async open(options: RestingOptions, signal: AbortSignal): Promise<RestingConnection> {
    const connection = new RestingConnection(options);
    const inner = await options.open(signal);
    connection.#take(inner, inner.received[Symbol.asyncIterator]());
    return connection;
  }

  /** Opens a connection without a process. The first message that needs the server starts it. */
  static atRest(options: RestingOptions): RestingConnection {
    return new RestingConnection(options);
  }

  get received(): AsyncIterable<ReceivedMessage> {
    return this.#handover;
  }

  /** Whether the connection has no process, and none is starting. */
  get isResting(): boolean {
    return this.#inner === undefined && this.#waking === undefined;
  }

  get isBusy(): boolean {
    return this.#waking !== undefined || this.#activity.isBusy;
  }

  /** Time of the last use, by the monotonic clock. */
  get lastMs(): number {
    return this.#activity.lastMs;
  }

  async send(text: string, sender?: MessageSender): Promise<void> {
    if (this.#isOver) throw serverFailedToStart(new Error('the connection is closed'));
    const parsed = parseServerMessage(text);
    const message = typeof parsed === 'string' ? undefined : parsed;
    if (message !== undefined) {
      if (this.#respondFromKnown(message) || (this.isResting && this.#respondAtRest(message))) return;
      this.#noteSent(message);
    }
    let inner = this.#inner;
    if (inner === undefined) {
      try {
        inner = await this.#wake(sender);
      } catch (error) {
        this.#fail(message, error);
        return;
      }
    }
    await this.#forward(inner, text, sender);
  }

  /** Ends the process, unless the connection is in use. Resolves when the process is gone. Never rejects. */
  rest(): Promise<void> {
    const inner = this.#inner;
    if (inner === undefined || this.isBusy) return this.#resting;
    this.#inner = undefined;
    this.#handover.release();
    for (const request of this.#quiet.values()) this.#respondAtRest(request);
    this.#quiet.clear();
    this.#resting = this.#end(inner);
    return this.#resting;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const inner = this.#inner;
    this.#inner = undefined;
    this.#finish();
    await Promise.allSettled([inner?.close(), this.#waking, this.#resting]);
  }

  #finish(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort();
    this.#handover.end(error);
    this.#options.over(this);
  }

  async #end(inner: ServerConnection): Promise<void> {
    try {
      await inner.close();
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'process of an idle server could not be ended');
    }
  }

  /** Responds to a request with `respond` of the options. Returns false if the response is not known. */
  #respondFromKnown(message: Message): boolean {
    if (message.kind !== 'request' || this.#options.respond === undefined) return false;
    const isHandshake = message.method === 'initialize';
    // A running process needs the handshake itself.
    if (isHandshake && !this.isResting) return false;
    const text = this.#options.respond(message);
    if (text === undefined) return false;
    if (isHandshake) {
      this.#handshake.sent(message);
      this.#receiveOne(text);
    }
    void this.#handover.offer(text);
    return true;
  }

  /**
   * Handles a message that does not need to start the server: responds to a ping and a repeated `server/discover`,
   * records what the next start sends, and drops responses. Returns false for a message that needs the server.
   */
  #respondAtRest(message: Message): boolean {
    if (message.kind === 'notification') this.#handshake.sent(message);
    if (message.kind !== 'request') return true;
    if (SessionHandshake.isOwnListen(message)) {
      // The next start sends it to the server.
      this.#handshake.sent(message);
      return true;
    }
    const text =
      message.method === 'ping'
        ? writeResult(message.id, {})
        : message.method === DISCOVER
          ? this.#handshake.discoveryFor(message)
          : undefined;
    if (text !== undefined) void this.#handover.offer(text);
    return text !== undefined;
  }

  #noteSent(message: Message): void {
    if (message.kind === 'response') {
      this.#activity.responded(message);
      return;
    }
    this.#handshake.sent(message);
    if (message.kind === 'notification')
      this.#noteCancelled(message, (id) => this.#activity.settle(id, undefined));
    if (message.kind !== 'request' || SessionHandshake.isOwnListen(message)) return;
    if (this.#isQuiet(message)) this.#quiet.set(message.id.key, message);
    else this.#activity.begin(message);
  }

  #isQuiet(message: RequestMessage): boolean {
    if (message.method === 'ping') return true;
    return message.method === DISCOVER && this.#handshake.discoveryFor(message) !== undefined;
  }

  #wake(sender: MessageSender | undefined): Promise<ServerConnection> {
    this.#waking ??= this.#start(sender).finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  async #start(sender: MessageSender | undefined): Promise<ServerConnection> {
    await this.#resting;
    const late = AbortSignal.timeout(this.#options.startTimeoutMs);
    const signal = AbortSignal.any([this.#stop.signal, late]);
    try {
      const inner = await this.#options.open(signal);
      const messages = inner.received[Symbol.asyncIterator]();
      try {
        const repeated = this.#handshake.repeat(inner, messages, sender);
        this.#unwanted = await untilAborted(repeated, signal);
        signal.throwIfAborted();
      } catch (error) {
        void drain(messages);
        await this.#end(inner);
        throw error;
      }
      this.#take(inner, messages);
      return inner;
    } catch (error) {
      if (!this.#isOver) this.#options.logger.warn({ err: error }, 'idle server could not be started');
      throw late.aborted ? serverNotStarted() : error;
    }
  }

  /** Fails a message that waited for the start. If the server has never responded, ends the whole connection. */
  #fail(message: Message | undefined, error: unknown): void {
    const reason = reasonOf(error);
    if (!this.#hasResponded || ENDS_CONNECTION.includes(reason.code)) {
      this.#finish(reason);
      return;
    }
    if (message?.kind !== 'request') return;
    this.#quiet.delete(message.id.key);
    this.#activity.settle(message.id, undefined);
    void this.#handover.offer(new FailedRequest(reason, message.id));
  }

  async #forward(inner: ServerConnection, text: string, sender: MessageSender | undefined): Promise<void> {
    try {
      await inner.send(text, sender);
    } catch (error) {
      // A message to a connection that rests by now was a notification, which the server no longer needs.
      if (this.#inner === inner || this.#isOver) throw error;
    }
  }

  #take(inner: ServerConnection, messages: AsyncIterator<ReceivedMessage>): void {
    this.#inner = inner;
    this.#activity.touch();
    void this.#pump(inner, messages);
  }

  async #pump(inner: ServerConnection, messages: AsyncIterator<ReceivedMessage>): Promise<void> {
    let failure: unknown;
    try {
      for (;;) {
        const { done, value } = await messages.next();
        if (done === true) break;
        // Read on after `rest`: a container engine does not end a server whose output is not read.
        if (this.#inner === inner && this.#receive(value)) await this.#handover.offer(value);
      }
    } catch (error) {
      failure = error;
    }
    if (this.#inner !== inner) return;
    this.#inner = undefined;
    this.#closing ??= this.#end(inner);
    this.#finish(failure);
  }

  /** Records a message of the server. Returns whether it is for the client. */
  #receive(value: ReceivedMessage): boolean {
    if (value instanceof FailedRequest) {
      this.#settle(value.id.key, () => this.#activity.settle(value.id, undefined));
      return true;
    }
    // A large response is not parsed here, only to find which request it ends. The proxy parses it later.
    if (typeof value !== 'string' || value.length >= LARGE_MESSAGE) {
      const id = findAnsweredId(typeof value === 'string' ? value : value.beginning);
      if (id !== undefined) this.#settle(id.key, () => this.#activity.settle(id, undefined));
      return true;
    }
    const parts = splitServerBatch(value) ?? [value];
    return parts.map((part) => this.#receiveOne(part)).some((isWanted) => isWanted);
  }

  #receiveOne(text: string): boolean {
    const message = parseServerMessage(text);
    if (typeof message === 'string') return true;
    if (message.kind === 'response') return this.#receiveResponse(message);
    if (message.kind === 'request') this.#activity.requested(message);
    else this.#noteNotification(message);
    return true;
  }

  #receiveResponse(message: ResponseMessage): boolean {
    const { key } = message.id;
    if (this.#unwanted.has(key)) {
      this.#unwanted = new Set([...this.#unwanted].filter((one) => one !== key));
      return false;
    }
    this.#hasResponded = true;
    this.#handshake.received(message);
    this.#settle(key, () => this.#activity.settle(message.id, message));
    return true;
  }

  #noteNotification(message: NotificationMessage): void {
    this.#activity.notified(message);
    this.#noteCancelled(message, (id) => this.#activity.cancelledByServer(id));
  }

  /** Forgets a cancelled request, since it may get no response. */
  #noteCancelled({ method, text }: NotificationMessage, forget: (id: MessageId) => void): void {
    if (method !== 'notifications/cancelled') return;
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    if (id !== undefined) forget(id);
  }

  #settle(key: string, settle: () => void): void {
    if (!this.#quiet.delete(key)) settle();
  }
}

function reasonOf(error: unknown): PortolanError {
  const codes = ['ERR_SESSION_UNKNOWN', 'ERR_SERVER_NOT_STARTED', 'ERR_SERVER_AWAY'];
  return isPortolanError(error) && codes.includes(error.code) ? error : serverFailedToStart(error);
}

/** Reads the remaining messages, because a container engine does not end a server whose output is not read. */
async function drain(messages: AsyncIterator<ReceivedMessage>): Promise<void> {
  try {
    while ((await messages.next()).done !== true);
  } catch {
    // The connection has failed, so nothing is left to read.
  }
}
