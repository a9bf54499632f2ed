import type { PortolanError } from '@portolan/plugin-api';
import type { MessageId, ResponseMessage } from '../message/message.ts';

/** The way back to the client for one request, or for those of one batch. */
export interface Reply {
  /** Whether it can carry messages before the answer, and does so already. */
  readonly isStreaming: boolean;
  /** Whether it could begin to carry messages before the answer. */
  readonly canStream: boolean;
  /** Whether the client has left. */
  readonly isGone: boolean;
  /** Sends a message of the session before the answer; answers whether it could. Outlets ask, which have judged it. */
  carry(text: string, mayDrop: boolean): boolean;
  /** Sends progress of the request itself. */
  progressed(text: string): void;
  /** Gives the id of the session that this answer begins; only before `answer`. */
  beginSession(id: string): void;
  answer(answer: ResponseMessage): void;
  fail(error: PortolanError, id: MessageId): void;
}

/** The same way back, whose ends, and what comes before them where it is named, are taken by somebody else. */
export function withEnds(
  reply: Reply,
  ends: Pick<Reply, 'answer' | 'fail'> & Partial<Pick<Reply, 'progressed' | 'carry'>>,
): Reply {
  return {
    get isStreaming() {
      return reply.isStreaming;
    },
    get canStream() {
      return reply.canStream;
    },
    get isGone() {
      return reply.isGone;
    },
    carry: (text, mayDrop) => reply.carry(text, mayDrop),
    progressed: (text) => reply.progressed(text),
    beginSession: (id) => reply.beginSession(id),
    ...ends,
  };
}
