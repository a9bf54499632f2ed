import {
  META,
  type MessageId,
  type NotificationMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import type { ModernReply } from './modern-reply.ts';

/** The request that opens one. */
export const LISTEN = 'subscriptions/listen';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** Messages that a server may send before it acknowledges. */
const MAX_HELD = 256;

/** Where a notification says which subscription it belongs to, and where the answer does. */
export const IN_NOTIFICATION: readonly string[] = ['params', '_meta', META.subscription];
const IN_RESULT: readonly string[] = ['result', '_meta', META.subscription];

/** One `subscriptions/listen` of a client, under the client's own id: its acknowledgement comes first, whatever a server does. */
export class Subscription {
  readonly #id: MessageId;
  readonly #reply: ModernReply;
  readonly #held: string[] = [];
  #isAcknowledged = false;

  constructor(id: MessageId, reply: ModernReply) {
    this.#id = id;
    this.#reply = reply;
  }

  /** Takes a message that the server has tagged with this subscription; answers whether it is on its way, or will be. */
  take({ method, text }: NotificationMessage): boolean {
    const own = rewriteMessage(text, [{ path: IN_NOTIFICATION, by: this.#id.text }]);
    if (this.#isAcknowledged) return this.#reply.carry(own, true);
    if (method !== ACKNOWLEDGED) {
      if (this.#held.length >= MAX_HELD) return false;
      this.#held.push(own);
      return true;
    }
    this.#isAcknowledged = true;
    const isSent = this.#reply.carry(own, false);
    for (const held of this.#held.splice(0)) this.#reply.carry(held, true);
    return isSent;
  }

  /** The answer that ends it, with the client's own id in it. */
  close(answer: ResponseMessage): ResponseMessage {
    return { ...answer, text: rewriteMessage(answer.text, [{ path: IN_RESULT, by: this.#id.text }]) };
  }
}
