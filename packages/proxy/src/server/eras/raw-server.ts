import { type MessageId, parseServerMessage, type ResponseMessage } from '@portolan/mcp-protocol';
import type { MessageSender, ReceivedMessage, ServerConnection } from '@portolan/plugin-api';

/** Maximum number of messages that the server may send before its first response. */
const MAX_HELD = 256;
/** Maximum number of messages to read from a server that has no reader yet. */
const MAX_EARLY = 64;

/**
 * Connection to a server whose era is not known yet. Sends one request and reads its response; afterwards, all
 * messages pass unchanged.
 */
export class RawServer {
  readonly connection: ServerConnection;
  readonly #messages: EarlyMessages;
  readonly #held: ReceivedMessage[] = [];

  /** Takes an open connection. Calls `closed` once the connection has been closed. */
  constructor(connection: ServerConnection, closed: () => void) {
    const messages = new EarlyMessages(connection.received[Symbol.asyncIterator]());
    const close = async (): Promise<void> => {
      const ended = connection.close();
      // A container engine does not end a server whose output has no reader.
      messages.discard();
      await ended.finally(closed);
    };
    let closing: Promise<void> | undefined;
    this.connection = {
      received: { [Symbol.asyncIterator]: () => messages },
      send: (text, sender) => connection.send(text, sender),
      close: () => (closing ??= close()),
    };
    this.#messages = messages;
  }

  /** Settles when the server exits before anyone has read its messages. */
  get exited(): Promise<void> {
    return this.#messages.ended;
  }

  /** Returns undefined when the server ends before it responds. */
  async ask(text: string, id: MessageId, sender?: MessageSender): Promise<ResponseMessage | undefined> {
    try {
      await this.connection.send(text, sender);
      for (;;) {
        const { done, value } = await this.#messages.next();
        if (done === true) return undefined;
        const message = typeof value === 'string' ? parseServerMessage(value) : undefined;
        if (typeof message === 'object' && message.kind === 'response' && message.id.key === id.key)
          return message;
        if (this.#held.length < MAX_HELD) this.#held.push(value);
      }
    } catch {
      return undefined;
    }
  }

  /** Messages that the server sent before the response of `ask`. */
  takeHeld(): readonly ReceivedMessage[] {
    return this.#held.splice(0);
  }

  get rest(): AsyncIterator<ReceivedMessage> {
    return this.#messages;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.connection.close().catch(() => undefined);
  }
}

/** Messages for one reader. Reads some of them ahead, since nothing else shows that an unused server has exited. */
class EarlyMessages implements AsyncIterator<ReceivedMessage> {
  readonly #source: AsyncIterator<ReceivedMessage>;
  readonly #early: Promise<IteratorResult<ReceivedMessage>>[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #hasReader = false;

  constructor(source: AsyncIterator<ReceivedMessage>) {
    this.#source = source;
    void this.#readAhead();
  }

  /** Settles when the source ends or fails before its messages are read. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  next(): Promise<IteratorResult<ReceivedMessage>> {
    this.#hasReader = true;
    return this.#early.shift() ?? this.#source.next();
  }

  /** Ends the source after the message that it is reading, and drops what follows. */
  discard(): void {
    this.#hasReader = true;
    this.#source.return?.().catch(() => undefined);
  }

  async #readAhead(): Promise<void> {
    let isOver = false;
    while (!isOver && !this.#hasReader && this.#early.length < MAX_EARLY) {
      const next = this.#source.next();
      this.#early.push(next);
      isOver = await next.then(
        ({ done }) => done === true,
        () => true,
      );
    }
    if (isOver && !this.#hasReader) this.#ended.resolve();
  }
}
