import type { NotificationMessage, RequestMessage, ResponseMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { LinkContext } from '@portolan/proxy/server-link';
import type { Member } from '../members/member.ts';
import type { Aggregate } from './aggregate.ts';

export type WriteMessage = (text: string, source?: Member) => void;

/** Parts of the virtual server that a connection needs. */
export interface ConnectionParts {
  readonly aggregate: Aggregate;
  readonly link: LinkContext;
  /**
   * Writes a message to the client. With a `source`, the member that sent it unasked, the message is dropped when
   * too many of that member wait.
   */
  readonly write: WriteMessage;
  /** Writes a response of a member to the client, without parsing it again. */
  readonly respond: (response: ResponseMessage) => void;
  /** Returns a text that no other connection uses for its view of a list. */
  readonly mintView: () => string;
}

/** Returns the context of connections to a member, with the time limit of the member. */
export function linkContextOf({ link }: ConnectionParts, { source: { timeoutMs } }: Member): LinkContext {
  if (timeoutMs === undefined) return link;
  return { ...link, limits: { ...link.limits, requestMs: timeoutMs } };
}

/** A connection after its first message, which decides the protocol era. */
export interface EraConnection {
  take(
    message: RequestMessage | NotificationMessage | ResponseMessage,
    sender: MessageSender | undefined,
  ): void;
  /** Closes the connections to members. Idempotent. Never rejects. */
  close(): Promise<void>;
}
