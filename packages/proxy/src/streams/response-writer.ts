import type { ServerResponse } from 'node:http';

/** Bytes per write. When the connection accepts the next part, the client is reading. */
export const PART_BYTES = 256 * 1024;

interface OutflowListener {
  filled(flow: ResponseWriter): void;
  emptied(flow: ResponseWriter): void;
}

/**
 * Writes to a client in parts. Each accepted part shows that the client reads, so only clients that do not
 * read at all are disconnected.
 */
export class ResponseWriter {
  readonly #response: ServerResponse;
  readonly #unreadMs: number;
  readonly #listener: OutflowListener;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #isStuck = false;
  #isEnding = false;
  #takenMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, unreadMs: number, listener: OutflowListener) {
    this.#response = response;
    this.#unreadMs = unreadMs;
    this.#listener = listener;
    response.on('drain', () => this.#drained());
    response.once('finish', () => this.#settle());
    response.once('close', () => this.#settle());
  }

  /** Bytes not accepted by the client, including those in its connection. */
  get waitingBytes(): number {
    return this.#partBytes + this.#response.writableLength;
  }

  /** Time by `performance.now()` at which the client last accepted data. */
  get takenMs(): number {
    return this.#takenMs;
  }

  write(text: string): void {
    if (this.#response.destroyed) return;
    if (!this.#isStuck && text.length <= PART_BYTES) {
      this.#give(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += PART_BYTES)
      this.#parts.push(bytes.subarray(at, at + PART_BYTES));
    this.#partBytes += bytes.length;
    this.#pump();
    if (this.#isStuck) this.#listener.filled(this);
  }

  end(text = ''): void {
    if (text !== '') this.write(text);
    this.#isEnding = true;
    this.#pump();
  }

  breakOff(): void {
    this.#response.destroy();
  }

  #give(chunk: string | Buffer): void {
    if (this.#response.write(chunk)) return;
    this.#isStuck = true;
    this.#takenMs = performance.now();
    this.#arm();
    this.#listener.filled(this);
  }

  #drained(): void {
    if (!this.#isStuck) return;
    this.#isStuck = false;
    clearTimeout(this.#timer);
    this.#pump();
  }

  #pump(): void {
    while (!this.#isStuck) {
      const part = this.#parts.shift();
      if (part === undefined) break;
      this.#partBytes -= part.length;
      this.#give(part);
    }
    if (this.#isStuck) return;
    this.#listener.emptied(this);
    if (!this.#isEnding || this.#response.writableEnded) return;
    this.#response.end();
    this.#watchEnd();
  }

  watch(): void {
    this.#isEnding = true;
    this.#watchEnd();
  }

  #watchEnd(): void {
    const { writableFinished, destroyed, socket } = this.#response;
    if (writableFinished || destroyed || socket?.writableLength === 0) return;
    this.#takenMs = performance.now();
    this.#arm();
    this.#listener.filled(this);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.breakOff(), this.#unreadMs);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#parts = [];
    this.#partBytes = 0;
    this.#listener.emptied(this);
  }
}
