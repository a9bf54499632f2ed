const MAX_BYTES = 16 * 1024 * 1024;
const MAX_BATCH_BYTES = 256 * 1024;
const LINE_END = 0x0a;

/** Queue of lines to write, bounded in bytes. */
export class LineQueue {
  readonly #maxBytes: number;
  #lines: string[] = [];
  /** Size of each line with its end, in bytes. */
  #sizes: number[] = [];
  #bytes = 0;
  /** Lines that were taken to be written and are not yet removed. */
  #batch: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#batch.length === 0;
  }

  get lineCount(): number {
    let count = this.#lines.length;
    for (const byte of this.#batch) if (byte === LINE_END) count += 1;
    return count;
  }

  hasRoomFor(line: string): boolean {
    const left = this.#maxBytes - this.#bytes - 1;
    // A UTF-16 code unit has at most three UTF-8 bytes.
    return line.length * 3 <= left || Buffer.byteLength(line) <= left;
  }

  /** Adds a line even above the bound. Returns its bytes. */
  push(line: string): number {
    const size = Buffer.byteLength(line) + 1;
    this.#lines.push(line);
    this.#sizes.push(size);
    this.#bytes += size;
    return size;
  }

  /**
   * Returns the oldest lines, at least one if there are any. Returns the same lines until they are removed.
   */
  take(): Buffer {
    if (this.#batch.length === 0) this.#batch = this.#join();
    return this.#batch;
  }

  /** Removes lines that were written. `bytes` is the size of these lines. */
  remove(bytes: number): void {
    this.#batch = this.#batch.subarray(bytes);
    this.#bytes -= bytes;
  }

  #join(): Buffer {
    let count = 0;
    let bytes = 0;
    for (const size of this.#sizes) {
      if (count > 0 && bytes + size > MAX_BATCH_BYTES) break;
      count += 1;
      bytes += size;
    }
    this.#sizes.splice(0, count);
    const lines = this.#lines.splice(0, count);
    return Buffer.from(count === 0 ? '' : `${lines.join('\n')}\n`);
  }
}
