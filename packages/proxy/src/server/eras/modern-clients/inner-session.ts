import {
  BATCHES_IN,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  NEWEST_LEGACY,
  type NotificationMessage,
  otherRevision,
  ownRequest,
  PING,
  readId,
  type RequestMessage,
  type ResponseMessage,
  writeError,
  writeResult,
} from '@portolan/mcp-protocol';
import type { MessageSender, PortolanError } from '@portolan/plugin-api';
import { proxyClosing, requestCancelled, serverFailedToStart } from '../../../errors/server-errors.ts';
import type { RestartPace } from '../../../request/restart-pace.ts';
import type { LinkListener } from '../../link-inbox.ts';
import { ServerLink } from '../../server-link.ts';
import type { ResponseReceiver, ServerRequest } from '../../server-request.ts';
import { CANCELLED } from '../cancellation.ts';
import { takesInput } from '../client-requests.ts';
import type { EraContext } from '../era-options.ts';
import { isLogLevel } from '../../log-levels.ts';
import { textAt } from '../rewrite-members.ts';
import type { RawServer } from '../raw-server.ts';
import type { ServerEras } from '../server-eras.ts';

/** The caller of this class limits the time of its requests. */
const UNLIMITED = { requestMs: Infinity, longestRequestMs: Infinity, cancelledMs: 1000 };

/** Notifications that belong to no call, besides list changes. */
const PASSED = ['notifications/resources/updated', 'notifications/tasks/status'];

/** Receives what the server sends during a call. */
export interface InnerReceiver extends ResponseReceiver {
  requested(request: RequestMessage): void;
  /** The server no longer waits for the response to its own request. */
  withdrawn(id: MessageId): void;
  logged(notification: NotificationMessage): void;
}

export interface InnerSessionOptions {
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly capabilities: JsonRecord;
  readonly clientInfo: JsonRecord | undefined;
  readonly sender: MessageSender | undefined;
  /** Started process. Default: the session starts one. */
  readonly raw?: RawServer | undefined;
  /** Whether several clients share the session, so that the server can send nothing to one of them. */
  readonly isShared?: boolean;
  /** Called for list changes and updated resources. */
  readonly notified: (notification: NotificationMessage) => void;
  /** Called when the session may carry another call. */
  readonly freed: () => void;
  readonly ended: (session: InnerSession) => void;
}

interface Running {
  readonly request: ServerRequest;
  readonly receiver: InnerReceiver;
}

/** Session with a Legacy server on behalf of a Modern client. */
export class InnerSession implements LinkListener {
  readonly handshake: ResponseMessage;
  readonly #options: InnerSessionOptions;
  readonly #link: ServerLink;
  /** Calls that the server works on, in the order in which they began or continued. */
  readonly #running = new Set<Running>();
  readonly #parked = new Set<Running>();
  readonly #startedMs: number;
  #isClosing = false;
  #logLevel: string | undefined;
  /** Subscribers to each resource, when several clients share the session. */
  readonly subscribers = new Map<string, Set<object>>();
  lastUsedMs: number;
  hasCarriedCalls = false;

  /** Opens a session, with another revision when the server refuses the newest. Throws ERR_SERVER_NOT_STARTED. */
  static async open(options: InnerSessionOptions): Promise<InnerSession> {
    const { eras, context } = options;
    const pace = paceOf(options);
    if (pace !== undefined) await pace.pause(eras.signal).catch(refuseClosing);
    const startedMs = context.nowMs();
    const raw = options.raw ?? (await openRaw(options));
    const link = new ServerLink(raw.connection, context);
    const tried: string[] = [];
    try {
      for (let revision: string | undefined = NEWEST_LEGACY; revision !== undefined; ) {
        const response = await greet(link, options, revision);
        if (tried.length === 0) eras.noteHandshake(response, context.nowMs() - startedMs);
        if (!response.isError) {
          eras.noteAgreed(response);
          return new InnerSession(options, link, { handshake: response, startedMs });
        }
        tried.push(revision);
        revision = otherRevision(memberOf(parse(response.text), 'error'), tried);
      }
    } catch (error) {
      await link.close().catch(() => undefined);
      if (!eras.signal.aborted) pace?.failed(0);
      throw serverFailedToStart(error);
    }
    await link.close().catch(() => undefined);
    throw serverFailedToStart(new Error('the server refused the handshake'));
  }

  private constructor(
    options: InnerSessionOptions,
    link: ServerLink,
    { handshake, startedMs }: { readonly handshake: ResponseMessage; readonly startedMs: number },
  ) {
    this.#options = options;
    this.#link = link;
    this.handshake = handshake;
    this.#startedMs = startedMs;
    this.lastUsedMs = options.context.nowMs();
    link.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    link.listen(this);
    link.watch(PING);
  }

  get takesBatches(): boolean {
    return this.revision === BATCHES_IN;
  }

  get revision(): string {
    const { result } = this.handshake;
    return String(isJsonObject(result) ? memberOf(result, 'protocolVersion') : '');
  }

  get hasEnded(): boolean {
    return this.#link.hasEnded;
  }

  get running(): number {
    return this.#running.size;
  }

  get parked(): number {
    return this.#parked.size;
  }

  declares(area: string, feature?: string): boolean {
    const { result } = this.handshake;
    const capabilities = isJsonObject(result) ? memberOf(result, 'capabilities') : undefined;
    const declared = isJsonObject(capabilities) ? memberOf(capabilities, area) : undefined;
    if (feature === undefined) return declared !== undefined;
    return isJsonObject(declared) && memberOf(declared, feature) === true;
  }

  /** Sends a request. Throws ERR_SERVER_EXITED and ERR_SERVER_BUSY. */
  begin(message: RequestMessage, receiver: InnerReceiver, sender: MessageSender | undefined): InnerCall {
    const settle = (): void => {
      this.#running.delete(running);
      this.#parked.delete(running);
      this.lastUsedMs = this.#options.context.nowMs();
      this.#options.freed();
    };
    const request = this.#link.request(
      message,
      {
        answered: (response) => {
          settle();
          // The proxy itself reads lists, also from a server that crashes at each call.
          if (takesInput(message.method)) paceOf(this.#options)?.succeeded();
          receiver.answered(response);
        },
        progressed: (text) => receiver.progressed(text),
        failed: (error) => {
          settle();
          receiver.failed(error);
        },
      },
      UNLIMITED,
      sender,
    );
    const running = { request, receiver };
    this.#running.add(running);
    this.hasCarriedCalls = true;
    return {
      session: this,
      cancel: () => {
        settle();
        this.#link.abandon(request, CANCELLED, requestCancelled());
      },
      park: () => {
        if (!this.#running.delete(running)) return;
        this.#parked.add(running);
        this.lastUsedMs = this.#options.context.nowMs();
        this.#options.freed();
      },
      resume: () => {
        if (this.#parked.delete(running)) this.#running.add(running);
      },
    };
  }

  /** Sends a request of the proxy itself. */
  ask(method: string, params: JsonRecord, sender?: MessageSender): Promise<ResponseMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
    const receiver = { answered: resolve, progressed: () => undefined, failed: reject };
    this.#link.request(ownRequest(method, params), receiver, this.#options.context.limits, sender);
    return promise;
  }

  /** Records a subscriber to a resource. */
  addSubscriber(uri: string, subscriber: object): void {
    const all = this.subscribers.get(uri) ?? new Set();
    this.subscribers.set(uri, all.add(subscriber));
  }

  /** Removes a subscriber. Returns whether no other is left. */
  removeSubscriber(uri: string, subscriber: object): boolean {
    const all = this.subscribers.get(uri);
    all?.delete(subscriber);
    if (all?.size === 0) this.subscribers.delete(uri);
    return !this.subscribers.has(uri);
  }

  /** Sends a message. A full queue drops it. */
  tell(text: string, sender?: MessageSender): void {
    try {
      this.#link.send(text, sender);
    } catch {
      // The queue to the server is full, so it would not read the message either.
    }
  }

  /** Sets the level of log messages for the session, if the server has log messages. */
  setLogLevel(level: unknown): void {
    if (!isLogLevel(level) || level === this.#logLevel || !this.declares('logging')) return;
    this.#logLevel = level;
    this.ask('logging/setLevel', { level }).catch(() => undefined);
  }

  requested(request: RequestMessage): void {
    const running = this.#options.isShared === true ? undefined : [...this.#running].at(-1);
    if (request.method === 'ping') this.tell(writeResult(request.id, {}));
    else if (running === undefined)
      this.refuse(
        request.id,
        'No client can respond: none has a request pending, or several share this process.',
      );
    else running.receiver.requested(request);
  }

  refuse(id: MessageId, message: string, code = -32601): void {
    this.#options.context.counts.refusedServerRequests += 1;
    this.tell(writeError(id, { code, message }));
  }

  notified(notification: NotificationMessage): void {
    const { method } = notification;
    if (method === 'notifications/message') this.#log(notification);
    else if (method === 'notifications/cancelled') this.#withdraw(notification);
    else if (method.endsWith('/list_changed') || PASSED.includes(method))
      this.#options.notified(notification);
    else this.#options.context.counts.droppedNotifications += 1;
  }

  ended(): void {
    const { eras, context } = this.#options;
    const hasCrashed = !this.#isClosing && !eras.signal.aborted;
    if (hasCrashed) paceOf(this.#options)?.failed(context.nowMs() - this.#startedMs);
    this.#options.ended(this);
  }

  close(why?: PortolanError): Promise<void> {
    this.#isClosing = true;
    return this.#link.close(why).catch(() => undefined);
  }

  #withdraw({ text }: NotificationMessage): void {
    const id = readId(textAt(text, ['params', 'requestId']) ?? '');
    if (id === undefined) return;
    for (const { receiver } of [...this.#running, ...this.#parked]) receiver.withdrawn(id);
  }

  /** Delivers a log message to the only running call, because the message names no call. */
  #log(notification: NotificationMessage): void {
    const [only, other] = this.#running;
    const isFor = this.#options.isShared !== true && other === undefined;
    if (only !== undefined && isFor) only.receiver.logged(notification);
    else this.#options.context.counts.droppedNotifications += 1;
  }
}

/** Request that the server works on. */
export interface InnerCall {
  readonly session: InnerSession;
  /** Cancels the call. Its receiver gets an error. */
  cancel(): void;
  /** Records that the server waits for the client, so that the session may carry another call. */
  park(): void;
  resume(): void;
}

/** Returns the delays of a process that the session starts itself. */
function paceOf({ raw, context }: InnerSessionOptions): RestartPace | undefined {
  return raw === undefined ? context.restarts : undefined;
}

/** Starts a process, and counts one that cannot start as crashed. */
async function openRaw({ eras, context }: InnerSessionOptions): Promise<RawServer> {
  try {
    return await eras.openRaw();
  } catch (error) {
    if (!eras.signal.aborted) context.restarts?.failed(0);
    throw error;
  }
}

/** Rejects because the proxy closes while a process waits for its start. */
function refuseClosing(): never {
  throw proxyClosing();
}

function greet(
  link: ServerLink,
  { capabilities, clientInfo, context, sender }: InnerSessionOptions,
  protocolVersion: string,
): Promise<ResponseMessage> {
  const { version, limits } = context;
  const own = { name: 'portolan', version };
  const message = ownRequest('initialize', { protocolVersion, capabilities, clientInfo: clientInfo ?? own });
  const { startTimeoutMs } = limits;
  const times = { requestMs: startTimeoutMs, longestRequestMs: startTimeoutMs, cancelledMs: 1000 };
  const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
  link.request(message, { answered: resolve, progressed: () => undefined, failed: reject }, times, sender);
  return promise;
}

function parse(text: string): JsonRecord | undefined {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}
