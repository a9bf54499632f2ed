import { onOneLine } from '@portolan/mcp-protocol';
import type { MessageSender, ServerConnection } from '@portolan/plugin-api';
import { serverBusy } from '../errors/server-errors.ts';

export interface QueueLimits {
  readonly queuedMessages: number;
  readonly queuedBytes: number;
}

/**
 * Maximum bytes passed to the connection before it accepts the first of them. Lines of one turn of the event
 * loop may share a write.
 */
const MAX_HANDED_OVER = 64 * 1024;

interface Waiting {
  readonly line: string;
  readonly bytes: number;
  readonly sender: MessageSender | undefined;
}

export class OutgoingQueue {
  readonly #connection: Pick<ServerConnection, 'send'>;
  readonly #limits: QueueLimits;
  readonly #broken: (error: unknown) => void;
  readonly #waiting: Waiting[] = [];
  /** Bytes passed to the connection that it has not accepted yet; they still use memory. */
  #handedOver = 0;
  #handedOverBytes = 0;
  #waitingBytes = 0;
  #isClosed = false;

  /** Creates an empty queue. `broken` is called once, when the connection fails. */
  constructor(
    connection: Pick<ServerConnection, 'send'>,
    limits: QueueLimits,
    broken: (error: unknown) => void,
  ) {
    this.#connection = connection;
    this.#limits = limits;
    this.#broken = broken;
  }

  /** Sends or queues a message. Throws ERR_SERVER_BUSY when the queue is full. */
  push(message: string, sender?: MessageSender): void {
    if (this.#isClosed) return;
    const line = onOneLine(message);
    const bytes = Buffer.byteLength(line);
    const { queuedMessages, queuedBytes } = this.#limits;
    const isFull =
      this.#waiting.length + this.#handedOver >= queuedMessages ||
      this.#waitingBytes + this.#handedOverBytes + bytes > queuedBytes;
    if (isFull) throw serverBusy();
    this.#waiting.push({ line, bytes, sender });
    this.#waitingBytes += bytes;
    this.#handOver();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }

  #handOver(): void {
    while (this.#handedOverBytes < MAX_HANDED_OVER) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.bytes;
      this.#handedOver += 1;
      this.#handedOverBytes += next.bytes;
      void this.#send(next);
    }
  }

  async #send({ line, bytes, sender }: Waiting): Promise<void> {
    try {
      await this.#connection.send(line, sender);
    } catch (error) {
      if (this.#isClosed) return;
      this.close();
      this.#broken(error);
      return;
    }
    this.#handedOver -= 1;
    this.#handedOverBytes -= bytes;
    this.#handOver();
  }
}
