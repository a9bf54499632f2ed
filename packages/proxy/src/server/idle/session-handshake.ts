import {
  DISCOVER,
  isJsonObject,
  type JsonRecord,
  memberOf,
  META,
  type MessageId,
  metaOf,
  type NotificationMessage,
  parseServerMessage,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
  writeResult,
} from '@portolan/mcp-protocol';
import type { MessageSender, ReceivedMessage, ServerConnection } from '@portolan/plugin-api';
import { serverExited, serverFailedToStart } from '../../errors/server-errors.ts';
import { sessionUnknown } from '../../errors/session-errors.ts';
import { FailedRequest } from '../failed-request.ts';

const LISTEN = 'subscriptions/listen';
const SET_LEVEL = 'logging/setLevel';

/** Maximum number of the proxy's own subscriptions that a connection repeats. The proxy opens one. */
const MAX_OWN_LISTENS = 16;

/** Messages that a restarted server gets first: the handshake, the log level and the proxy's own subscriptions. */
export class SessionHandshake {
  #initialize: RequestMessage | undefined;
  #agreed: JsonRecord | undefined;
  #initialized: string | undefined;
  #logLevel: RequestMessage | undefined;
  #discovery: ResponseMessage | undefined;
  readonly #listens = new Map<string, string>();
  readonly #discoveries = new Set<string>();

  /** Returns whether a request is a subscription of the proxy itself. Such a request is no use of the server. */
  static isOwnListen({ method, params }: RequestMessage): boolean {
    if (method !== LISTEN) return false;
    const info = memberOf(metaOf(params), META.clientInfo);
    const filter = memberOf(params, 'notifications');
    return (
      isJsonObject(info) &&
      memberOf(info, 'name') === 'portolan' &&
      isJsonObject(filter) &&
      Object.keys(filter).every((name) => name.endsWith('ListChanged'))
    );
  }

  /** Returns the last response to `server/discover`, with the id of this request. Undefined before the first one. */
  discoveryFor({ id }: RequestMessage): string | undefined {
    const text = this.#discovery?.text;
    return text === undefined ? undefined : rewriteMessage(text, [{ path: ['id'], by: id.text }]);
  }

  /** Records a message of the client that a restarted server needs. */
  sent(message: RequestMessage | NotificationMessage): void {
    const { method } = message;
    if (message.kind === 'notification') {
      if (method === 'notifications/initialized') this.#initialized = message.text;
      return;
    }
    if (method === 'initialize') {
      this.#initialize = message;
      this.#agreed = undefined;
      this.#initialized = undefined;
      this.#logLevel = undefined;
    } else if (method === SET_LEVEL) this.#logLevel = message;
    else if (method === DISCOVER) this.#discoveries.add(message.id.key);
    else if (SessionHandshake.isOwnListen(message) && this.#listens.size < MAX_OWN_LISTENS)
      this.#listens.set(message.id.key, message.text);
  }

  received({ id, isError, result, text }: ResponseMessage): void {
    this.#listens.delete(id.key);
    const isDiscovery = this.#discoveries.delete(id.key);
    if (isError || !isJsonObject(result)) return;
    if (isDiscovery) {
      this.#discovery = { kind: 'response', id, isError, result, text, errorCode: undefined };
    } else if (this.#agreed === undefined && id.key === this.#initialize?.id.key) this.#agreed = result;
  }

  /**
   * Repeats the handshake with a restarted server. Returns the ids of repeated requests, whose responses are
   * not for the client. Throws ERR_SESSION_UNKNOWN when the server names another revision or fewer capabilities, and
   * ERR_SERVER_NOT_STARTED when it refuses.
   */
  async repeat(
    connection: Pick<ServerConnection, 'send'>,
    messages: Pick<AsyncIterator<ReceivedMessage>, 'next'>,
    sender: MessageSender | undefined,
  ): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const agreed = this.#agreed;
    if (this.#initialize !== undefined && agreed !== undefined) {
      await connection.send(this.#initialize.text, sender);
      const response = await this.#awaitResponse(this.#initialize.id, connection, messages);
      if (response.isError) throw serverFailedToStart(new Error('it refused the repeated handshake'));
      if (!isSameAgreement(agreed, response.result)) throw sessionUnknown();
      if (this.#initialized !== undefined) await connection.send(this.#initialized, sender);
      if (this.#logLevel !== undefined) {
        ids.add(this.#logLevel.id.key);
        await connection.send(this.#logLevel.text, sender);
      }
    }
    for (const listen of this.#listens.values()) await connection.send(listen);
    return ids;
  }

  /** Returns the response to the repeated `initialize`. Drops what the server sends before. */
  async #awaitResponse(
    id: MessageId,
    connection: Pick<ServerConnection, 'send'>,
    messages: Pick<AsyncIterator<ReceivedMessage>, 'next'>,
  ): Promise<ResponseMessage> {
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true) throw serverExited();
      if (value instanceof FailedRequest && value.id.key === id.key) throw value.error;
      const message = typeof value === 'string' ? parseServerMessage(value) : undefined;
      if (typeof message !== 'object') continue;
      if (message.kind === 'response' && message.id.key === id.key) return message;
      if (message.kind === 'request' && message.method === 'ping')
        await connection.send(writeResult(message.id, {}));
    }
  }
}

/** Returns whether a session continues with a restarted server: the same revision and at least its capabilities. */
export function isSameAgreement(before: JsonRecord, after: unknown): boolean {
  return (
    isJsonObject(after) &&
    memberOf(before, 'protocolVersion') === memberOf(after, 'protocolVersion') &&
    hasAllOf(memberOf(before, 'capabilities'), memberOf(after, 'capabilities'))
  );
}

function hasAllOf(before: unknown, after: unknown): boolean {
  if (before === undefined || before === null || before === false) return true;
  if (!isJsonObject(before)) return after !== undefined && after !== null && after !== false;
  return (
    isJsonObject(after) && Object.keys(before).every((name) => hasAllOf(before[name], memberOf(after, name)))
  );
}
