import type { MessageId, ResponseMessage } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';

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
export function withEnds(reply: Reply, ends: ReplyEnds): Reply {
  return new ReplyWithEnds(reply, ends);
}

type ReplyEnds = Pick<Reply, 'answer' | 'fail'> & Partial<Pick<Reply, 'progressed' | 'carry'>>;

/** A class, since an object with getters is made anew, one by one, for each request. */
class ReplyWithEnds implements Reply {
  readonly #reply: Reply;
  readonly #ends: ReplyEnds;

  constructor(reply: Reply, ends: ReplyEnds) {
    this.#reply = reply;
    this.#ends = ends;
  }

  get isStreaming(): boolean {
    return this.#reply.isStreaming;
  }

  get canStream(): boolean {
    return this.#reply.canStream;
  }

  get isGone(): boolean {
    return this.#reply.isGone;
  }

  carry(text: string, mayDrop: boolean): boolean {
    const { carry } = this.#ends;
    return carry === undefined ? this.#reply.carry(text, mayDrop) : carry(text, mayDrop);
  }

  progressed(text: string): void {
    if (this.#ends.progressed === undefined) this.#reply.progressed(text);
    else this.#ends.progressed(text);
  }

  beginSession(id: string): void {
    this.#reply.beginSession(id);
  }

  answer(answer: ResponseMessage): void {
    this.#ends.answer(answer);
  }

  fail(error: PortolanError, id: MessageId): void {
    this.#ends.fail(error, id);
  }
}
