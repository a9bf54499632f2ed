import type { ReceivedMessage } from '@portolan/plugin-api';

export interface InboxLimits {
  readonly unreadMessages: number;
  readonly unreadBytes: number;
}

/** Received messages that the reader has not taken yet. A full inbox slows those who add to it. */
export class Inbox implements AsyncIterable<ReceivedMessage> {
  readonly #limits: InboxLimits;
  readonly #unread: string[] = [];
  #unreadBytes = 0;
  #writers: (() => void)[] = [];
  #reader: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(limits: InboxLimits) {
    this.#limits = limits;
  }

  /** Adds a message. Settles when the inbox has room again, or has ended. */
  async push(text: string): Promise<void> {
    if (this.#end !== undefined) return;
    this.#unread.push(text);
    this.#unreadBytes += text.length;
    this.#reader?.();
    if (this.#hasRoom()) return;
    await new Promise<void>((resolve) => this.#writers.push(resolve));
  }

  /** Ends the messages after those that are unread, with `error` if there is one. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#reader?.();
    this.#wakeWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedMessage, void> {
    for (;;) {
      const text = this.#unread.shift();
      if (text !== undefined) {
        this.#unreadBytes -= text.length;
        if (this.#hasRoom()) this.#wakeWriters();
        yield text;
      } else if (this.#end === undefined) {
        await new Promise<void>((resolve) => {
          this.#reader = resolve;
        });
        this.#reader = undefined;
      } else if (this.#end.error !== undefined) {
        throw this.#end.error;
      } else {
        return;
      }
    }
  }

  #hasRoom(): boolean {
    return this.#unread.length < this.#limits.unreadMessages && this.#unreadBytes < this.#limits.unreadBytes;
  }

  #wakeWriters(): void {
    const writers = this.#writers;
    this.#writers = [];
    for (const wake of writers) wake();
  }
}
