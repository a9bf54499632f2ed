import type { ResponseMessage } from '@portolan/mcp-protocol';
import type { ReceivedMessage } from '@portolan/plugin-api';
import { ParsedMessage } from '@portolan/proxy/server-link';

/** Maximum of waiting messages that one member sent unasked. More are dropped. */
const MAX_UNASKED = 1000;
/** Maximum size of these messages in characters. */
const MAX_UNASKED_CHARACTERS = 4 * 1024 * 1024;

interface Waiting {
  readonly message: ReceivedMessage;
  readonly source: object | undefined;
}

interface Amount {
  count: number;
  characters: number;
}

/** Messages of a connection in this process, in order, for its one reader. */
export class MessageQueue implements AsyncIterable<ReceivedMessage> {
  readonly #amounts = new Map<object, Amount>();
  #waiting: Waiting[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /**
   * Adds a message. With a `source`, such as a member that notifies, the message is dropped when too many of that
   * source wait. Returns whether the message was added.
   */
  push(text: string, source?: object): boolean {
    if (source !== undefined && !this.#hasEnded && !this.#admit(text, source)) return false;
    return this.#add({ message: text, source });
  }

  /** Adds a response that its reader need not parse. Returns whether it was added. */
  pushParsed(response: ResponseMessage): boolean {
    return this.#add({ message: new ParsedMessage(response), source: undefined });
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
      for (const { message, source } of messages) {
        if (source !== undefined && typeof message === 'string') this.#leave(message, source);
        yield message;
      }
      if (this.#waiting.length > 0) continue;
      if (this.#hasEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }

  #add(waiting: Waiting): boolean {
    if (this.#hasEnded) return false;
    this.#waiting.push(waiting);
    this.#wake?.();
    return true;
  }

  #admit(text: string, source: object): boolean {
    const amount = this.#amounts.get(source) ?? { count: 0, characters: 0 };
    if (amount.count >= MAX_UNASKED || amount.characters + text.length > MAX_UNASKED_CHARACTERS) return false;
    amount.count += 1;
    amount.characters += text.length;
    this.#amounts.set(source, amount);
    return true;
  }

  #leave(text: string, source: object): void {
    const amount = this.#amounts.get(source);
    if (amount === undefined) return;
    amount.count -= 1;
    amount.characters -= text.length;
    if (amount.count === 0) this.#amounts.delete(source);
  }
}
