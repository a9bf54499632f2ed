import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  META,
  type MessageId,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import type { ModernReply } from './modern-reply.ts';

export const LISTEN = 'subscriptions/listen';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const MAX_HELD = 256;

export const IN_NOTIFICATION: readonly string[] = ['params', '_meta', META.subscription];
const IN_RESULT: readonly string[] = ['result', '_meta', META.subscription];

/**
 * Subscription of one client. Delivers the acknowledgement before notifications, even if the server sends
 * them first.
 */
export class Subscription {
  readonly #id: MessageId;
  readonly #filter: JsonRecord | undefined;
  readonly #reply: ModernReply;
  readonly #queue: string[] = [];
  #isAcknowledged = false;

  constructor({ id, params }: RequestMessage, reply: ModernReply) {
    this.#id = id;
    const filter = memberOf(params, 'notifications');
    this.#filter = isJsonObject(filter) ? filter : undefined;
    this.#reply = reply;
  }

  /** Returns whether the client's filter requests the notifications of this member, such as `toolsListChanged`. */
  wants(filter: string): boolean {
    return memberOf(this.#filter, filter) === true;
  }

  /** Returns whether the message was sent or buffered. */
  take({ method, text }: NotificationMessage): boolean {
    const own = rewriteMessage(text, [{ path: IN_NOTIFICATION, by: this.#id.text }]);
    if (this.#isAcknowledged) return this.#reply.carry(own, true);
    if (method !== ACKNOWLEDGED) {
      if (this.#queue.length >= MAX_HELD) return false;
      this.#queue.push(own);
      return true;
    }
    this.#isAcknowledged = true;
    const isSent = this.#reply.carry(own, false);
    for (const message of this.#queue.splice(0)) this.#reply.carry(message, true);
    return isSent;
  }

  close(response: ResponseMessage): ResponseMessage {
    return { ...response, text: rewriteMessage(response.text, [{ path: IN_RESULT, by: this.#id.text }]) };
  }
}
