import type { ReceivedMessage } from '@portolan/plugin-api';

interface Offer {
  readonly message: ReceivedMessage;
  readonly taken: () => void;
}

/** Queue of messages for one reader. Senders wait until the reader takes a message, so a slow reader slows the server. */
export class MessageHandover implements AsyncIterable<ReceivedMessage> {
  #offers: Offer[] = [];
  #reader: PromiseWithResolvers<IteratorResult<ReceivedMessage>> | undefined;
  #end: { readonly error: unknown } | undefined;

  [Symbol.asyncIterator](): AsyncIterator<ReceivedMessage> {
    return {
      next: () => this.#next(),
      return: () => {
        this.end();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  /** Resolves when the reader has taken the message, and at once after the end. */
  offer(message: ReceivedMessage): Promise<void> {
    if (this.#end !== undefined) return Promise.resolve();
    const reader = this.#reader;
    if (reader === undefined) {
      return new Promise((taken) => void this.#offers.push({ message, taken }));
    }
    this.#reader = undefined;
    reader.resolve({ value: message, done: false });
    return Promise.resolve();
  }

  /** Lets all senders continue. Their messages stay in the queue. */
  release(): void {
    for (const { taken } of this.#offers) taken();
  }

  /** Ends the queue after the messages in it. The reader then gets the error, if there is one. Idempotent. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.release();
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) finish(reader, error);
  }

  #next(): Promise<IteratorResult<ReceivedMessage>> {
    const offer = this.#offers.shift();
    if (offer !== undefined) {
      offer.taken();
      return Promise.resolve({ value: offer.message, done: false });
    }
    const reader = Promise.withResolvers<IteratorResult<ReceivedMessage>>();
    if (this.#end === undefined) this.#reader = reader;
    else finish(reader, this.#end.error);
    return reader.promise;
  }
}

function finish(reader: PromiseWithResolvers<IteratorResult<ReceivedMessage>>, error: unknown): void {
  if (error === undefined) reader.resolve({ value: undefined, done: true });
  else reader.reject(error);
}
