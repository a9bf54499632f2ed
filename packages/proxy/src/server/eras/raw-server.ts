import { type MessageId, parseServerMessage, type ResponseMessage } from '@portolan/mcp-protocol';
import type { MessageSender, OpenConnection, ReceivedMessage, ServerConnection } from '@portolan/plugin-api';

/** Maximum number of messages that the server may send before its first response. */
const MAX_HELD = 256;

/**
 * Connection to a server whose era is not known yet. Sends one request and reads its response; afterwards, all
 * messages pass unchanged.
 */
export class RawServer {
  readonly connection: ServerConnection;
  readonly #iterator: AsyncIterator<ReceivedMessage>;
  readonly #held: ReceivedMessage[] = [];

  static async open(open: OpenConnection, signal: AbortSignal): Promise<RawServer> {
    return new RawServer(await open(signal));
  }

  constructor(connection: ServerConnection) {
    this.connection = connection;
    this.#iterator = connection.received[Symbol.asyncIterator]();
  }

  /** Returns undefined when the server ends before it responds. */
  async ask(text: string, id: MessageId, sender?: MessageSender): Promise<ResponseMessage | undefined> {
    try {
      await this.connection.send(text, sender);
      for (;;) {
        const { done, value } = await this.#iterator.next();
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
    return this.#iterator;
  }

  /** Connection with all messages that follow. */
  toConnection(): ServerConnection {
    const { connection } = this;
    const iterator = this.#iterator;
    return {
      received: { [Symbol.asyncIterator]: () => iterator },
      send: (message, sender) => connection.send(message, sender),
      close: () => connection.close(),
    };
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.connection.close().catch(() => undefined);
  }
}
