import type { ReceivedMessage } from '@portolan/plugin-api';

/** Maximum characters of messages that wait for the reader, before the pipe drops notifications. */
const MAX_WAITING = 16 * 1024 * 1024;

/** Messages that a connection delivers to its only reader, in order. */
export class MessagePipe implements AsyncIterable<ReceivedMessage> {
  readonly #messages: ReceivedMessage[] = [];
  #length = 0;
  #source: AsyncIterator<ReceivedMessage> | undefined;
  #waiting: PromiseWithResolvers<IteratorResult<ReceivedMessage>> | undefined;
  #hasEnded = false;
  #error: unknown;

  [Symbol.asyncIterator](): AsyncIterator<ReceivedMessage> {
    return { next: () => this.#next() };
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds a message. Returns false when the message may be dropped and the reader is too slow. */
  push(message: ReceivedMessage, mayDrop = false): boolean {
    if (this.#hasEnded || (mayDrop && this.#length > MAX_WAITING)) return false;
    if (this.#waiting === undefined) {
      this.#messages.push(message);
      this.#length += lengthOf(message);
    } else this.#settle({ value: message, done: false });
    return true;
  }

  /** Delivers all further messages of another reader, after those that are waiting. */
  follow(source: AsyncIterator<ReceivedMessage>): void {
    this.#source = source;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    source.next().then(waiting.resolve, waiting.reject);
  }

  /** Ends the messages after those that are waiting. With an error, the reader gets it. Idempotent. */
  end(error?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#error = error;
    if (this.#waiting !== undefined) this.#finish(this.#waiting);
  }

  #next(): Promise<IteratorResult<ReceivedMessage>> {
    const message = this.#messages.shift();
    if (message !== undefined) {
      this.#length -= lengthOf(message);
      return Promise.resolve({ value: message, done: false });
    }
    if (this.#source !== undefined) return this.#source.next();
    const waiting = Promise.withResolvers<IteratorResult<ReceivedMessage>>();
    if (this.#hasEnded) this.#finish(waiting);
    else this.#waiting = waiting;
    return waiting.promise;
  }

  #settle(result: IteratorResult<ReceivedMessage>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(result);
  }

  #finish(waiting: PromiseWithResolvers<IteratorResult<ReceivedMessage>>): void {
    this.#waiting = undefined;
    if (this.#error === undefined) waiting.resolve({ value: undefined, done: true });
    else waiting.reject(this.#error);
  }
}

function lengthOf(message: ReceivedMessage): number {
  return typeof message === 'string' ? message.length : message.beginning.length;
}
