import type { ServerConnection } from '@portolan/plugin-api';
import { serverBusy } from '../errors.ts';
import { onOneLine } from '../message/rewrite-message.ts';

export interface QueueLimits {
  readonly queuedMessages: number;
  readonly queuedBytes: number;
}

/** Messages on their way to a server, in order, one line each. */
export class OutgoingQueue {
  readonly #connection: Pick<ServerConnection, 'send'>;
  readonly #limits: QueueLimits;
  readonly #broken: (error: unknown) => void;
  readonly #messages: string[] = [];
  #bytes = 0;
  #isSending = false;
  #isClosed = false;

  /** `broken` is called once, when the server takes no more. */
  constructor(
    connection: Pick<ServerConnection, 'send'>,
    limits: QueueLimits,
    broken: (error: unknown) => void,
  ) {
    this.#connection = connection;
    this.#limits = limits;
    this.#broken = broken;
  }

  /** Throws ERR_SERVER_BUSY when too much waits already. */
  push(message: string): void {
    if (this.#isClosed) return;
    const line = onOneLine(message);
    const bytes = Buffer.byteLength(line);
    const isFull =
      this.#messages.length >= this.#limits.queuedMessages || this.#bytes + bytes > this.#limits.queuedBytes;
    if (isFull) throw serverBusy();
    this.#messages.push(line);
    this.#bytes += bytes;
    if (!this.#isSending) void this.#send();
  }

  close(): void {
    this.#isClosed = true;
    this.#messages.length = 0;
    this.#bytes = 0;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let line = this.#messages[0]; line !== undefined; line = this.#messages[0]) {
        await this.#connection.send(line);
        // Taken out afterwards: what is being sent still fills memory.
        if (this.#messages.shift() !== undefined) this.#bytes -= Buffer.byteLength(line);
      }
    } catch (error) {
      if (!this.#isClosed) this.#broken(error);
    } finally {
      this.#isSending = false;
    }
  }
}
