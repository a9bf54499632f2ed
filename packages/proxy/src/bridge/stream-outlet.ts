import type { EventStream } from '../streams/event-stream.ts';
import { MessageOrder } from '../policy/message-order.ts';
import type { JudgeSessionMessage, Outlet, SessionMessage } from './outlet.ts';

export class StreamOutlet implements Outlet {
  readonly stream: EventStream;
  readonly line = new MessageOrder();
  /** Whether the client has sent `initialize`; a stream has one session only. */
  isOpening = false;

  readonly #judge: JudgeSessionMessage | undefined;

  constructor(stream: EventStream, judge?: JudgeSessionMessage) {
    this.stream = stream;
    this.#judge = judge;
  }

  get isOpen(): boolean {
    return this.stream.isOpen;
  }

  deliver(original: SessionMessage): void {
    const message = this.#judge === undefined ? original : this.#judge(original);
    if (message === undefined) return;
    this.line.take(message, (passing) => {
      if (this.stream.send(passing.text, passing.mayDrop)) passing.sent?.();
      else passing.dropped?.();
    });
  }

  /** Does nothing, because HTTP+SSE is the same in every revision. */
  agree(): void {
    return undefined;
  }

  refused(): void {
    this.isOpening = false;
  }

  close(): void {
    this.stream.finish();
  }
}
