import type { Counts } from '../request/counts.ts';
import type { SessionMessage } from './outlet.ts';

const MAX_MESSAGES = 256;
const MAX_BYTES = 4 * 1024 * 1024;

/** Messages that wait for a stream to the client. A full queue drops the oldest. */
export class MessageQueue {
  readonly #counts: Counts;
  #messages: SessionMessage[] = [];
  #bytes = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  get size(): number {
    return this.#messages.length;
  }

  push(message: SessionMessage): void {
    const isKnown =
      message.sameAs !== undefined && this.#messages.some(({ sameAs }) => sameAs === message.sameAs);
    if (isKnown) return;
    this.#messages.push(message);
    this.#bytes += Buffer.byteLength(message.text);
    while (this.#messages.length > MAX_MESSAGES || this.#bytes > MAX_BYTES) this.#dropOldest();
  }

  take(): readonly SessionMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    return messages;
  }

  clear(): void {
    while (this.#messages.length > 0) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#messages.shift();
    if (oldest === undefined) return;
    this.#bytes -= Buffer.byteLength(oldest.text);
    this.#counts.droppedNotifications += 1;
    oldest.dropped?.();
  }
}
