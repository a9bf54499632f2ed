import {
  headerMismatch,
  subscriptionsExhausted,
  narrowDiscovery,
  DISCOVER,
  ownParams,
  ownRequest,
  findValue,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readId,
  writeError,
  writeNotification,
  TransientMap,
} from '@portolan/mcp-protocol';
import type { Logger, PortolanError } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { LinkListener } from '../server/link-inbox.ts';
import type { RequestLimits, ServerRequest } from '../server/server-request.ts';
import { levelOfLog, wantedLevel } from './log-levels.ts';
import type { ModernReply } from './modern-reply.ts';
import { IN_NOTIFICATION, LISTEN, Subscription } from './subscription.ts';
import { ToolHeaders } from './tool-headers.ts';

export interface ModernProcessOptions {
  readonly link: ServerLink;
  /** Revisions that it and the proxy speak. */
  readonly supported: readonly string[];
  readonly capabilities: JsonRecord | undefined;
  readonly version: string;
  readonly limits: RequestLimits & { readonly mostSubscriptions: number };
  readonly counts: Counts;
  readonly logger: Logger;
  /** It has answered a client. */
  readonly answered: () => void;
  /** It has ended; called once. */
  readonly over: () => void;
}

/** A request of a client that waits. */
interface Exchange {
  readonly reply: ModernReply;
  readonly request: ServerRequest;
  readonly logLevel: number | undefined;
  readonly subscription: Subscription | undefined;
}

/** The id is put in by whoever sends it. */
const ABANDONED: NotificationMessage = {
  kind: 'notification',
  text: writeNotification('notifications/cancelled', '{"requestId":0,"reason":"the client has left"}'),
  method: 'notifications/cancelled',
  params: undefined,
};

/** The process that all clients without a handshake use: each request stands for itself, so that there is nothing to mix up. */
export class ModernProcess implements LinkListener {
  readonly supported: readonly string[];
  readonly takesBatches = false;
  readonly #options: ModernProcessOptions;
  /** By the ids that the server knows. */
  readonly #waiting = new TransientMap<string, Exchange>();
  readonly #headers: ToolHeaders;
  #subscriptions = 0;
  #watching: MessageId | undefined;

  constructor(options: ModernProcessOptions) {
    this.#options = options;
    this.supported = options.supported;
    this.#headers = new ToolHeaders((cursor) => this.#listTools(cursor));
    options.link.listen(this);
    options.link.watch(ownRequest(DISCOVER, ownParams(options.version, {}, this.supported.at(-1))));
  }

  /** Requests that wait for an answer; subscriptions wait for nothing. */
  get waiting(): number {
    return this.#waiting.size - this.#subscriptions;
  }

  /**
   * Compares the headers of a call with the arguments in `text`. Throws
   * ERR_HEADER_MISMATCH and what asking the server for its tools throws.
   */
  async checkHeaders(
    { params }: RequestMessage,
    text: string,
    headerOf: (name: string) => string | undefined,
  ): Promise<void> {
    const fault = await this.#headers.findFault(String(memberOf(params, 'name')), text, headerOf);
    if (fault !== undefined) throw headerMismatch(fault);
  }

  /** Sends a request. Throws ERR_SERVER_BUSY and ERR_SERVER_EXITED. */
  request(message: RequestMessage, reply: ModernReply): void {
    const { link, limits } = this.#options;
    const listens = message.method === LISTEN;
    if (listens && this.#subscriptions >= limits.mostSubscriptions) {
      throw subscriptionsExhausted(limits.mostSubscriptions);
    }
    const subscription = listens ? new Subscription(message.id, reply) : undefined;
    const receiver = {
      answered: (answer: ResponseMessage) => {
        this.#settle(request);
        this.#options.answered();
        if (message.method === 'tools/list') this.#headers.learn(answer.result);
        reply.answer(subscription?.close(answer) ?? ownAnswer(message, answer));
      },
      progressed: (text: string) => this.#count(reply.carry(text, true)),
      failed: (error: PortolanError) => {
        this.#settle(request);
        // What ends a subscription is told by its end: the client subscribes again.
        if (subscription === undefined || !reply.end()) reply.fail(error, message.id);
      },
    };
    const request = link.request(message, receiver, listens ? this.#unlimited() : limits);
    this.#waiting.set(request.minted.key, { reply, request, logLevel: wantedLevel(message), subscription });
    if (listens) this.#subscriptions += 1;
    reply.onLeft(() => this.#abandon(request));
  }

  /** Servers ask nothing here: what they need stands in their results. */
  requested({ id, method }: RequestMessage): void {
    const { counts, logger, link } = this.#options;
    counts.refusedServerRequests += 1;
    logger.warn({ method }, 'server asks its clients, which revisions without a handshake do not have');
    this.#tell(() =>
      link.send(writeError(id, { code: -32601, message: 'Clients of this revision are not asked.' })),
    );
  }

  notified(notification: NotificationMessage): void {
    const { method, text } = notification;
    const tag = findValue(text, IN_NOTIFICATION);
    if (tag !== undefined) this.#publish(notification, readId(text.slice(tag.start, tag.end)));
    else if (method === 'notifications/message') this.#log(notification);
    else if (method === 'notifications/cancelled') this.#takeBack(notification);
    else this.#count(false);
  }

  ended(): void {
    this.#options.over();
  }

  #publish(notification: NotificationMessage, id: MessageId | undefined): void {
    if (id !== undefined && id.key === this.#watching?.key) {
      if (notification.method === 'notifications/tools/list_changed') this.#headers.forget();
      return;
    }
    const exchange = id === undefined ? undefined : this.#waiting.get(id.key);
    this.#count(exchange?.subscription?.take(notification) === true);
  }

  /** Nothing says whose it is: it goes to the one who wants it, where there is only one. */
  #log(notification: NotificationMessage): void {
    const level = levelOfLog(notification);
    const wanting = this.#waiting
      .list()
      .filter(({ logLevel }) => logLevel !== undefined && logLevel <= level);
    const [only] = wanting;
    this.#count(wanting.length === 1 && only?.reply.carry(notification.text, true) === true);
  }

  /** The server ends a subscription without a result. */
  #takeBack({ text }: NotificationMessage): void {
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    const exchange = id === undefined ? undefined : this.#waiting.get(id.key);
    if (exchange?.subscription === undefined) {
      this.#count(false);
      return;
    }
    this.#options.link.drop(exchange.request);
    this.#settle(exchange.request);
    exchange.reply.end();
  }

  /** The client has left, which is how it cancels. */
  #abandon(request: ServerRequest): void {
    if (!this.#waiting.has(request.minted.key)) return;
    this.#settle(request);
    this.#tell(() => this.#options.link.cancel(request, ABANDONED));
  }

  #settle({ minted }: ServerRequest): void {
    const exchange = this.#waiting.take(minted.key);
    if (exchange?.subscription !== undefined) this.#subscriptions -= 1;
  }

  /** A page of the tools in our own name; what a server without tools says is no page. */
  async #listTools(cursor: string | undefined): Promise<unknown> {
    const params = ownParams(
      this.#options.version,
      cursor === undefined ? {} : { cursor },
      this.supported.at(-1),
    );
    this.#watchTools();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#options.link.request(ownRequest('tools/list', params), {
      answered: ({ result }) => resolve(result),
      progressed: () => undefined,
      failed: reject,
    });
    return promise;
  }

  /** So that what is known of the tools is forgotten when they change; once for each process, where it says that it tells. */
  #watchTools(): void {
    const { capabilities, link, version } = this.#options;
    const tools = memberOf(capabilities, 'tools');
    if (this.#watching !== undefined || !isJsonObject(tools) || memberOf(tools, 'listChanged') !== true)
      return;
    const params = ownParams(version, { notifications: { toolsListChanged: true } }, this.supported.at(-1));
    const receiver = { answered: () => undefined, progressed: () => undefined, failed: () => undefined };
    this.#watching = link.request(ownRequest(LISTEN, params), receiver, this.#unlimited()).minted;
  }

  #unlimited(): RequestLimits {
    return { ...this.#options.limits, requestMs: Infinity, longestRequestMs: Infinity };
  }

  #count(isSent: boolean): void {
    if (!isSent) this.#options.counts.droppedNotifications += 1;
  }

  /** Tells the server; one that reads nothing is not waited for. */
  #tell(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'server does not read its messages');
    }
  }
}

function ownAnswer({ method }: RequestMessage, answer: ResponseMessage): ResponseMessage {
  return method === DISCOVER ? narrowDiscovery(answer) : answer;
}
