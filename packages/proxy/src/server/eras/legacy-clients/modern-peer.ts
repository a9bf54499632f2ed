import {
  DISCOVER,
  findValue,
  META,
  type NotificationMessage,
  ownParams,
  ownRequest,
  readId,
  type RequestMessage,
  type ResponseMessage,
  writeError,
} from '@portolan/mcp-protocol';
import type { MessageSender, PortolanError } from '@portolan/plugin-api';
import { requestCancelled, serverExited } from '../../../errors/server-errors.ts';
import type { LinkListener } from '../../link-inbox.ts';
import { ServerLink } from '../../server-link.ts';
import type { ResponseReceiver, ServerRequest } from '../../server-request.ts';
import { CANCELLED } from '../cancellation.ts';
import type { EraContext } from '../era-options.ts';
import { levelOfLog } from '../../log-levels.ts';
import type { ModernServer } from '../server-eras.ts';

/** The caller of this class limits the time of its requests. */
const UNLIMITED = { requestMs: Infinity, longestRequestMs: Infinity, cancelledMs: 1000 };

const TAG: readonly string[] = ['params', '_meta', META.subscription];

export interface ModernReceiver extends ResponseReceiver {
  /** Lowest severity of log messages that the request wants. */
  readonly logLevel: number | undefined;
  logged(notification: NotificationMessage): void;
}

/** Receives the messages of one `subscriptions/listen`. */
export interface ListenReceiver {
  notified(notification: NotificationMessage): void;
  ended(): void;
}

/** Process of a Modern server that serves all Legacy sessions. */
export class ModernPeer implements LinkListener {
  readonly takesBatches = false;
  readonly revision: string;
  readonly #context: EraContext;
  readonly #link: ServerLink;
  readonly #logging = new Map<ServerRequest, ModernReceiver>();
  readonly #listening = new Map<
    string,
    { readonly request: ServerRequest; readonly receiver: ListenReceiver }
  >();
  readonly #over: () => void;
  #discovery: Promise<ResponseMessage> | undefined;

  constructor({ raw, revisions, discovery }: ModernServer, context: EraContext, over: () => void) {
    this.#context = context;
    this.revision = revisions.at(-1) ?? '';
    this.#over = over;
    this.#link = new ServerLink(raw.connection, context);
    if (discovery !== undefined) this.#discovery = Promise.resolve(discovery);
    this.#link.listen(this);
  }

  get hasEnded(): boolean {
    return this.#link.hasEnded;
  }

  /** Returns the response to `server/discover`, which may be an error. */
  discover(): Promise<ResponseMessage> {
    this.#discovery ??= this.#ask(ownRequest(DISCOVER, ownParams(this.#context.version, {}, this.revision)));
    return this.#discovery;
  }

  request(message: RequestMessage, receiver: ModernReceiver, sender?: MessageSender): ServerRequest {
    const settle = (): void => void this.#logging.delete(request);
    const request = this.#link.request(
      message,
      {
        answered: (response) => {
          settle();
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
    if (receiver.logLevel !== undefined) this.#logging.set(request, receiver);
    return request;
  }

  /** Cancels a request. Its receiver gets an error at once, and no response later. */
  cancel(request: ServerRequest): void {
    this.#logging.delete(request);
    this.#link.abandon(request, CANCELLED, requestCancelled());
  }

  /** Opens a subscription. Returns a function that ends it without a call of `ended`. */
  listen(message: RequestMessage, receiver: ListenReceiver, sender?: MessageSender): () => void {
    let isOver = false;
    const end = (): void => {
      this.#listening.delete(request.minted.key);
      if (!isOver) receiver.ended();
      isOver = true;
    };
    const ends = { answered: end, progressed: () => undefined, failed: end };
    const request = this.#link.request(message, ends, UNLIMITED, sender);
    this.#listening.set(request.minted.key, { request, receiver });
    return () => {
      isOver = true;
      this.#link.abandon(request, CANCELLED, requestCancelled());
    };
  }

  requested({ id }: RequestMessage): void {
    this.#context.counts.refusedServerRequests += 1;
    const message = 'Requests to clients are not supported in this protocol revision.';
    this.#tell(writeError(id, { code: -32601, message }));
  }

  notified(notification: NotificationMessage): void {
    const { method, text } = notification;
    const tag = idAt(text, TAG);
    if (tag !== undefined) this.#listening.get(tag)?.receiver.notified(notification);
    else if (method === 'notifications/message') this.#log(notification);
    else if (method === 'notifications/cancelled') this.#endListening(idAt(text, ['params', 'requestId']));
    else this.#context.counts.droppedNotifications += 1;
  }

  ended(): void {
    this.#over();
  }

  close(why?: PortolanError): Promise<void> {
    return this.#link.close(why).catch(() => undefined);
  }

  /** Forwards a log message if exactly one request wants it. Otherwise it could belong to any of them. */
  #log(notification: NotificationMessage): void {
    const level = levelOfLog(notification);
    const [only, other] = [...this.#logging.values()].filter(({ logLevel = Infinity }) => logLevel <= level);
    if (other === undefined && only !== undefined) only.logged(notification);
    else this.#context.counts.droppedNotifications += 1;
  }

  #endListening(key: string | undefined): void {
    const listening = key === undefined ? undefined : this.#listening.get(key);
    if (listening === undefined) return;
    this.#link.drop(listening.request);
    listening.request.receiver.failed(serverExited());
  }

  #ask(message: RequestMessage): Promise<ResponseMessage> {
    const { startTimeoutMs } = this.#context.limits;
    const limits = { requestMs: startTimeoutMs, longestRequestMs: startTimeoutMs, cancelledMs: 1000 };
    const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
    this.#link.request(message, { answered: resolve, progressed: () => undefined, failed: reject }, limits);
    promise.catch(() => (this.#discovery = undefined));
    return promise;
  }

  #tell(text: string): void {
    try {
      this.#link.send(text);
    } catch {
      // The queue to the server is full, so it would not read the message either.
    }
  }
}

function idAt(text: string, path: readonly string[]): string | undefined {
  const span = findValue(text, path);
  return span === undefined ? undefined : readId(text.slice(span.start, span.end))?.key;
}
