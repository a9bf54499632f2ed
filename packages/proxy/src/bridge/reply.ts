import type { MessageId, ResponseMessage } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';

export interface Reply {
  readonly isStreaming: boolean;
  readonly canStream: boolean;
  readonly isGone: boolean;
  /**
   * Sends a message of the session before the response. Policies have read the message already. Returns
   * whether it was sent.
   */
  carry(text: string, mayDrop: boolean): boolean;
  progressed(text: string): void;
  /** Puts the session id into the HTTP headers, so the call must precede the response. */
  beginSession(id: string): void;
  respond(response: ResponseMessage): void;
  fail(error: PortolanError, id: MessageId): void;
}

export function withEnds(reply: Reply, ends: ReplyEnds): Reply {
  return new ReplyWithEnds(reply, ends);
}

type ReplyEnds = Pick<Reply, 'respond' | 'fail'> & Partial<Pick<Reply, 'progressed' | 'carry'>>;

/** A class, because an object literal with getters would be built for each request. */
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

  respond(response: ResponseMessage): void {
    this.#ends.respond(response);
  }

  fail(error: PortolanError, id: MessageId): void {
    this.#ends.fail(error, id);
  }
}
