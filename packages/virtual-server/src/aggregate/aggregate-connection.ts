import { parseServerMessage, type Message, type RequestMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { ParsingConnection } from '@portolan/proxy/server-link';
import type { ConnectionParts, EraConnection } from './era-connection.ts';
import { LegacyConnection } from './legacy/legacy-connection.ts';
import { MessageQueue } from './message-queue.ts';
import { ModernConnection } from './modern/modern-connection.ts';

/** Connection of the proxy to the virtual server. Its first request decides the protocol era. */
export class AggregateConnection implements ParsingConnection {
  readonly received = new MessageQueue();
  readonly #parts: Omit<ConnectionParts, 'write' | 'respond'>;
  readonly #closed: (connection: AggregateConnection) => void;
  #era: EraConnection | undefined;

  constructor(
    parts: Omit<ConnectionParts, 'write' | 'respond'>,
    closed: (connection: AggregateConnection) => void,
  ) {
    this.#parts = parts;
    this.#closed = closed;
  }

  send(text: string, sender?: MessageSender): Promise<void> {
    const message = parseServerMessage(text);
    if (typeof message !== 'string') this.#take(message, sender);
    return Promise.resolve();
  }

  request(message: RequestMessage, sender?: MessageSender): void {
    this.#take(message, sender);
  }

  async close(): Promise<void> {
    this.#closed(this);
    await this.#era?.close();
    this.received.end();
  }

  #take(message: Message, sender: MessageSender | undefined): void {
    if (this.#era !== undefined) this.#era.take(message, sender);
    else if (message.kind === 'request') {
      const parts: ConnectionParts = {
        ...this.#parts,
        write: (out, source) => void this.received.push(out, source),
        respond: (response) => void this.received.pushParsed(response),
      };
      if (message.method === 'initialize') this.#era = new LegacyConnection(parts, message, sender);
      else {
        this.#era = new ModernConnection(parts);
        this.#era.take(message, sender);
      }
    }
  }
}
