const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BATCH_BYTES = 256 * 1024;
const LINE_END = 0x0a;

/** Lines that wait to be written, in order, with a bound on their bytes. */
export class LineQueue {
  readonly #mostBytes: number;
  #lines: string[] = [];
  #bytes = 0;
  /** The lines that were taken and not yet removed, joined. */
  #batch: Buffer = Buffer.alloc(0);

  constructor(mostBytes: number = MOST_BYTES) {
    this.#mostBytes = mostBytes;
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
    return this.#bytes + Buffer.byteLength(line) + 1 <= this.#mostBytes;
  }

  /** Takes a line, room or not. */
  push(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line) + 1;
  }

  /** The next lines, each with its end; the same until they are removed. At least one when there is any. */
  take(): Buffer {
    if (this.#batch.length === 0) this.#batch = this.#join();
    return this.#batch;
  }

  /** Forgets so many bytes of what was taken: whole lines. */
  remove(bytes: number): void {
    this.#batch = this.#batch.subarray(bytes);
    this.#bytes -= bytes;
  }

  #join(): Buffer {
    let count = 0;
    let bytes = 0;
    for (const line of this.#lines) {
      const more = Buffer.byteLength(line) + 1;
      if (count > 0 && bytes + more > MOST_BATCH_BYTES) break;
      count += 1;
      bytes += more;
    }
    return Buffer.from(
      this.#lines
        .splice(0, count)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
}
