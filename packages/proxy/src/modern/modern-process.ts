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
import type { Logger, MessageSender, PortolanError } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import { levelOfLog, wantedLevel } from '../server/log-levels.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { LinkListener } from '../server/link-inbox.ts';
import type { RequestLimits, ServerRequest } from '../server/server-request.ts';
import type { ModernReply } from './modern-reply.ts';
import { markedRequest, removeMark } from '../server/request-mark.ts';
import { listChanges } from '../streams/list-changes.ts';
import { IN_NOTIFICATION, LISTEN, Subscription } from './subscription.ts';
import { ToolHeaders } from './tool-headers.ts';

export interface ModernProcessOptions {
  readonly link: ServerLink;
  readonly supported: readonly string[];
  readonly capabilities: JsonRecord | undefined;
  readonly version: string;
  /** Whether to subscribe to changes of the tools. */
  readonly watchesTools: () => boolean;
  readonly limits: RequestLimits & { readonly maxSubscriptions: number };
  readonly counts: Counts;
  readonly logger: Logger;
  readonly answered: () => void;
  readonly over: () => void;
}

interface Exchange {
  readonly reply: ModernReply;
  readonly request: ServerRequest;
  readonly logLevel: number | undefined;
  readonly subscription: Subscription | undefined;
}

const ABANDONED: NotificationMessage = {
  kind: 'notification',
  text: writeNotification('notifications/cancelled', '{"requestId":0,"reason":"the client disconnected"}'),
  method: 'notifications/cancelled',
  params: undefined,
};

/**
 * Process that all clients without a handshake share. Their requests are independent, so the process needs no
 * separation between clients.
 */
export class ModernProcess implements LinkListener {
  readonly supported: readonly string[];
  readonly takesBatches = false;
  readonly #options: ModernProcessOptions;
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

  get waiting(): number {
    return this.#waiting.size - this.#subscriptions;
  }

  /** Throws ERR_HEADER_MISMATCH unless the headers match the arguments, and the errors of `tools/list`. */
  async checkHeaders(
    { params }: RequestMessage,
    text: string,
    headerOf: (name: string) => string | undefined,
  ): Promise<void> {
    const fault = await this.#headers.findFault(String(memberOf(params, 'name')), text, headerOf);
    if (fault !== undefined) throw headerMismatch(fault);
  }

  /**
   * Sends a request to the server. Throws ERR_SERVER_EXITED, and ERR_SERVER_BUSY for a full queue or too many
   * subscriptions.
   */
  request(message: RequestMessage, reply: ModernReply, sender?: MessageSender): void {
    const { link, limits } = this.#options;
    const listens = message.method === LISTEN;
    if (listens && this.#subscriptions >= limits.maxSubscriptions) {
      throw subscriptionsExhausted(limits.maxSubscriptions);
    }
    const subscription = listens ? new Subscription(message, reply) : undefined;
    const receiver = {
      answered: (response: ResponseMessage) => {
        this.#settle(request);
        this.#options.answered();
        if (message.method === 'tools/list') this.#headers.learn(response.result);
        reply.respond(subscription?.close(response) ?? ownAnswer(message, response));
      },
      progressed: (text: string) => this.#count(reply.carry(text, true)),
      failed: (error: PortolanError) => {
        this.#settle(request);
        // When its stream ends, the client subscribes again, so a subscription needs no error.
        if (subscription === undefined || !reply.end()) reply.fail(error, message.id);
      },
    };
    const request = link.request(message, receiver, listens ? this.#unlimited() : limits, sender);
    this.#waiting.set(request.minted.key, { reply, request, logLevel: wantedLevel(message), subscription });
    if (listens) this.#subscriptions += 1;
    reply.onLeft(() => this.#abandon(request));
  }

  /**
   * Refuses a request of the server, because servers of these revisions return their questions in results
   * instead.
   */
  requested({ id, method }: RequestMessage): void {
    const { counts, logger, link } = this.#options;
    counts.refusedServerRequests += 1;
    logger.warn({ method }, 'server sent a request to its clients, which Modern revisions do not support');
    this.#tell(() =>
      link.send(
        writeError(id, {
          code: -32601,
          message: 'Requests to clients are not supported in this protocol revision.',
        }),
      ),
    );
  }

  /** Notifies clients that all lists may have changed, if they subscribed to such notifications. */
  announceListChanges(): void {
    const changes = listChanges();
    for (const { subscription } of this.#waiting.list())
      for (const { message, filter } of changes)
        if (subscription?.wants(filter) === true) this.#count(subscription.take(message));
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

  /**
   * Forwards a log message to the request that it names, or to the only one that wants it. If several do, the message
   * could belong to any of them.
   */
  #log(notification: NotificationMessage): void {
    const level = levelOfLog(notification);
    const named = markedRequest(notification);
    const exchange = named === undefined ? undefined : this.#waiting.get(named.key);
    const candidates = named === undefined ? this.#waiting.list() : exchange === undefined ? [] : [exchange];
    const wanting = candidates.filter(({ logLevel }) => logLevel !== undefined && logLevel <= level);
    const [only] = wanting;
    const isSent = wanting.length === 1 && only?.reply.carry(removeMark(notification), true) === true;
    this.#count(isSent);
  }

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

  #abandon(request: ServerRequest): void {
    if (!this.#waiting.has(request.minted.key)) return;
    this.#settle(request);
    this.#tell(() => this.#options.link.cancel(request, ABANDONED));
  }

  #settle({ minted }: ServerRequest): void {
    const exchange = this.#waiting.take(minted.key);
    if (exchange?.subscription !== undefined) this.#subscriptions -= 1;
  }

  /** Returns a page of the tool list; undefined when the server responds with an error. */
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

  /** Subscribes once per process to changes of the tool list, which clear the cached tools. */
  #watchTools(): void {
    const { capabilities, link, version, watchesTools } = this.#options;
    if (!watchesTools()) return;
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

  #tell(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'server does not read its input');
    }
  }
}

function ownAnswer({ method }: RequestMessage, response: ResponseMessage): ResponseMessage {
  return method === DISCOVER ? narrowDiscovery(response) : response;
}
