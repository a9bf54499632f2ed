import { responseDetailsOf, type MessageId, type ResponseMessage } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { toErrorMessage } from '../request/http-errors.ts';
import type { EventStream } from '../streams/event-stream.ts';
import type { Reply } from './reply.ts';

/** Reply over HTTP+SSE: every response is an event on the session's stream. */
export class StreamReply implements Reply {
  readonly canStream = false;
  readonly #stream: EventStream;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  get isStreaming(): boolean {
    return this.#stream.isOpen;
  }

  get isGone(): boolean {
    return !this.#stream.isOpen;
  }

  carry(text: string, mayDrop: boolean): boolean {
    return this.#stream.send(text, mayDrop);
  }

  progressed(text: string): void {
    this.carry(text, true);
  }

  /** The `endpoint` event has already named the session. */
  beginSession(): void {
    return undefined;
  }

  respond({ text }: ResponseMessage): void {
    this.#stream.send(text, false);
  }

  fail(error: PortolanError, id: MessageId): void {
    if (responseDetailsOf(error).endsStream !== true) this.#stream.send(toErrorMessage(error, id), false);
  }
}
