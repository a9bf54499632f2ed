import type { ReceivedMessage } from '@portolan/plugin-api';

/** Messages of a connection in this process, in order, for its one reader. */
export class MessageQueue implements AsyncIterable<ReceivedMessage> {
  #waiting: string[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  push(text: string): void {
    if (this.#hasEnded) return;
    this.#waiting.push(text);
    this.#wake?.();
  }

  /** Ends the iteration after the messages that are queued already. Idempotent. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ReceivedMessage> {
    for (;;) {
      const messages = this.#waiting;
      this.#waiting = [];
      for (const message of messages) yield message;
      if (this.#waiting.length > 0) continue;
      if (this.#hasEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }
}
