import type { ServerResponse } from 'node:http';
import { Outflow, PART_BYTES } from './outflow.ts';

export interface UnreadLimits {
  /** How long a client may take nothing of what waits for it, in milliseconds. */
  readonly unreadMs: number;
  /** Most bytes that wait for clients who take nothing, all of them together. */
  readonly unreadTotalBytes: number;
}

/** A client that takes nothing for so long does not read; in milliseconds. */
const STALLED_MS = 1000;

/**
 * What was answered and not read yet, of all clients. A client that does not
 * read may fill a part of the memory for a while; together they may not fill it.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #unread = new Set<Outflow>();
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** The way of an answer to its client. */
  open(response: ServerResponse): Outflow {
    return new Outflow(response, this.#limits.unreadMs, {
      filled: (flow) => this.#add(flow),
      emptied: (flow) => this.#remove(flow),
    });
  }

  /** Ends an answer with its whole body. */
  answer(response: ServerResponse, body: string): void {
    if (body.length > PART_BYTES) {
      this.open(response).end(body);
      return;
    }
    response.end(body);
    // All of it is in the system's hands already, as nearly every answer is at once.
    if (response.socket?.writableLength !== 0) this.open(response).watch();
  }

  #add(flow: Outflow): void {
    this.#unread.add(flow);
    this.#relieve();
  }

  #remove(flow: Outflow): void {
    this.#unread.delete(flow);
    if (this.#unread.size > 0) return;
    clearTimeout(this.#looking);
    this.#looking = undefined;
  }

  /** Breaks off those who have taken nothing for longest; whoever reads, however slowly, goes on. */
  #relieve(): void {
    let total = 0;
    for (const { waitingBytes } of this.#unread) total += waitingBytes;
    const now = performance.now();
    const stalled = [...this.#unread]
      .filter(({ takenMs }) => now - takenMs >= STALLED_MS)
      .toSorted((left, right) => left.takenMs - right.takenMs);
    for (const flow of stalled) {
      if (total <= this.#limits.unreadTotalBytes) return;
      total -= flow.waitingBytes;
      flow.breakOff();
    }
    if (total <= this.#limits.unreadTotalBytes || this.#looking !== undefined) return;
    this.#looking = setTimeout(() => {
      this.#looking = undefined;
      this.#relieve();
    }, STALLED_MS);
  }
}
