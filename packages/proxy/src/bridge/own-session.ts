import {
  PING,
  BATCHES_IN,
  findValue,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readId,
  rewriteMessage,
  writeError,
  writeNotification,
  TransientMap,
} from '@portolan/mcp-protocol';
import type { MessageSender, PortolanError } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import { sessionEnded } from '../errors/session-errors.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { LinkListener } from '../server/link-inbox.ts';
import type { ServerRequest } from '../server/server-request.ts';
import {
  type PendingServerRequest,
  PendingServerRequests,
  type AskLimits,
  isDeclared,
} from './pending-server-requests.ts';
import type { McpSession } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import type { Reply } from './reply.ts';

export interface OwnSessionOptions<Out extends Outlet> {
  readonly id: string;
  readonly owner: string | undefined;
  readonly outlet: Out;
  readonly link: ServerLink;
  readonly limits: AskLimits;
  readonly counts: Counts;
  readonly release: (why: PortolanError) => Promise<void>;
  readonly over: (session: OwnSession<Out>) => void;
  /** Called after each response, because the session may be idle now. */
  readonly answered: (session: OwnSession<Out>) => void;
}

interface Waiting {
  readonly request: ServerRequest;
  readonly reply: Reply;
}

/** Session with a process of its own, whose messages are all for this client. */
export class OwnSession<Out extends Outlet> implements McpSession<Out>, LinkListener {
  readonly id: string;
  readonly owner: string | undefined;
  readonly outlet: Out;
  readonly #options: OwnSessionOptions<Out>;
  readonly #link: ServerLink;
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #serverRequests: PendingServerRequests;
  #capabilities: JsonRecord | undefined;
  #revision = '';
  #ending: Promise<void> | undefined;

  constructor(options: OwnSessionOptions<Out>) {
    this.#options = options;
    this.id = options.id;
    this.owner = options.owner;
    this.outlet = options.outlet;
    this.#link = options.link;
    this.#serverRequests = new PendingServerRequests(options.limits, (client) =>
      this.#refuse(client, 'it did not respond in time'),
    );
    this.#link.listen(this);
  }

  get revision(): string {
    return this.#revision;
  }

  get isBusy(): boolean {
    return this.isWaiting || this.outlet.isOpen;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  get takesBatches(): boolean {
    return this.#revision === BATCHES_IN;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  request(message: RequestMessage, reply: Reply, sender?: MessageSender): void {
    if (message.method === 'initialize') this.#readCapabilities(message);
    const { key } = message.id;
    const settle = (): void => {
      if (this.#waiting.get(key)?.request === request) this.#waiting.delete(key);
      this.#options.answered(this);
    };
    const receiver = {
      answered: (response: ResponseMessage) => {
        settle();
        if (message.method === 'initialize') this.#agree(response);
        reply.respond(response);
      },
      progressed: (text: string) => reply.progressed(text),
      failed: (error: PortolanError) => {
        settle();
        reply.fail(error, message.id);
      },
    };
    const request = this.#link.request(message, receiver, undefined, sender);
    this.#waiting.set(key, { request, reply });
  }

  notify(message: NotificationMessage, sender?: MessageSender): void {
    if (message.method === 'notifications/cancelled') this.#cancel(message);
    else this.#link.send(message.text, sender);
  }

  respond(message: ResponseMessage, sender?: MessageSender): void {
    const client = this.#serverRequests.take(message.id);
    if (client === undefined) {
      this.#options.counts.droppedClientAnswers += 1;
      return;
    }
    this.#link.send(rewriteMessage(message.text, [{ path: ['id'], by: client.request.id.text }]), sender);
    this.#link.restartClocks();
  }

  requested(request: RequestMessage): void {
    if (!isDeclared(request.method, this.#capabilities)) {
      this.#options.counts.refusedServerRequests += 1;
      this.#tell(
        writeError(request.id, {
          code: -32601,
          message: 'The client did not declare the capability for this method.',
        }),
      );
      return;
    }
    const reply = this.#onlyReply();
    const query = this.#serverRequests.add(request, reply);
    this.#link.restartClocks();
    const text = rewriteMessage(request.text, [{ path: ['id'], by: query.minted.text }]);
    this.#deliver(text, {
      mayDrop: false,
      reply,
      sent: () => this.#serverRequests.delivered(query),
      dropped: (why = 'it has no open stream') => {
        if (this.#serverRequests.take(query.minted) !== undefined) this.#refuse(query, why);
      },
    });
  }

  notified(notification: NotificationMessage): void {
    if (notification.method === 'notifications/cancelled') {
      this.#takeBack(notification);
      return;
    }
    const isListChange = notification.method.endsWith('/list_changed');
    this.#deliver(notification.text, {
      mayDrop: true,
      reply: this.#onlyReply(),
      ...(isListChange ? { sameAs: notification.method } : {}),
    });
  }

  ended(): void {
    void this.end();
  }

  /** Pending requests fail with `why`. Idempotent. */
  end(why: PortolanError = sessionEnded()): Promise<void> {
    this.#ending ??= this.#finish(why);
    return this.#ending;
  }

  abandon(): void {
    this.#link.leave();
    this.#ending ??= this.#leave(sessionEnded());
  }

  async #finish(why: PortolanError): Promise<void> {
    const released = this.#leave(why);
    this.outlet.close();
    await released;
  }

  #leave(why: PortolanError): Promise<void> {
    this.#options.over(this);
    this.#serverRequests.clear();
    return this.#options.release(why);
  }

  #readCapabilities({ params }: RequestMessage): void {
    const capabilities = memberOf(params, 'capabilities');
    this.#capabilities = isJsonObject(capabilities) ? capabilities : undefined;
  }

  #agree({ result }: ResponseMessage): void {
    const version = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
    this.#revision = typeof version === 'string' ? version : '';
    this.outlet.agree(this.#revision);
    if (this.#revision !== '') this.#link.watch(PING);
  }

  #cancel(notice: NotificationMessage): void {
    const span = findValue(notice.text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(notice.text.slice(span.start, span.end));
    const waiting = id === undefined ? undefined : this.#waiting.get(id.key);
    if (waiting === undefined || waiting.request.method === 'initialize') return;
    for (const client of this.#serverRequests.causedBy(waiting.reply)) {
      this.#serverRequests.take(client.minted);
      this.#sendCancelled(client.minted);
      this.#refuse(client, 'it cancelled the request that caused this one');
    }
    this.#link.cancel(waiting.request, notice);
  }

  #takeBack(notice: NotificationMessage): void {
    const span = findValue(notice.text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(notice.text.slice(span.start, span.end));
    const client = id === undefined ? undefined : this.#serverRequests.findByServerId(id);
    if (client === undefined) return;
    this.#serverRequests.take(client.minted);
    const text = rewriteMessage(notice.text, [{ path: ['params', 'requestId'], by: client.minted.text }]);
    this.#deliver(text, { mayDrop: false, reply: client.cause });
  }

  #sendCancelled(minted: MessageId): void {
    const text = writeNotification('notifications/cancelled', `{"requestId":${minted.text}}`);
    this.#deliver(text, { mayDrop: true, reply: undefined });
  }

  #refuse(client: PendingServerRequest, why: string): void {
    this.#options.counts.refusedServerRequests += 1;
    this.#tell(
      writeError(client.request.id, { code: -32603, message: `The client did not respond: ${why}.` }),
    );
  }

  #deliver(text: string, message: Omit<Parameters<Outlet['deliver']>[0], 'text'>): void {
    const replies = this.#waiting.list().map(({ reply }) => reply);
    this.outlet.deliver({ text, ...message }, replies);
  }

  /**
   * Returns the reply of the only pending request. Undefined when several are pending, because a server
   * message may belong to any of them.
   */
  #onlyReply(): Reply | undefined {
    const [only, other] = this.#waiting.list();
    return other === undefined ? only?.reply : undefined;
  }

  #tell(text: string): void {
    try {
      this.#link.send(text);
    } catch {
      // Dropping the text is enough: while the queue is full, client requests fail with ERR_SERVER_BUSY.
    }
  }
}
