import type { ServerResponse } from 'node:http';
import { ResponseWriter, PART_BYTES } from './response-writer.ts';

export interface UnreadLimits {
  /** Maximum time in milliseconds in which a client accepts no data. */
  readonly unreadMs: number;
  /** Maximum unread bytes of all clients together. */
  readonly unreadTotalBytes: number;
}

/** Milliseconds after which a client counts as not reading. */
const STALLED_MS = 1000;

export class UnreadResponses {
  readonly #limits: UnreadLimits;
  readonly #unread = new Set<ResponseWriter>();
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  open(response: ServerResponse): ResponseWriter {
    return new ResponseWriter(response, this.#limits.unreadMs, {
      filled: (flow) => this.#add(flow),
      emptied: (flow) => this.#remove(flow),
    });
  }

  respond(response: ServerResponse, body: string): void {
    if (body.length > PART_BYTES) {
      this.open(response).end(body);
      return;
    }
    response.end(body);
    // Nearly every response is accepted by the operating system at once; watch only the rest.
    if (response.socket?.writableLength !== 0) this.open(response).watch();
  }

  #add(flow: ResponseWriter): void {
    this.#unread.add(flow);
    this.#relieve();
  }

  #remove(flow: ResponseWriter): void {
    this.#unread.delete(flow);
    if (this.#unread.size > 0) return;
    clearTimeout(this.#looking);
    this.#looking = undefined;
  }

  /**
   * Disconnects the clients that have read nothing for longest, until the total is below the limit. Clients
   * that read slowly stay connected.
   */
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
