const SMALL = 4 * 1024;
const BLOCK = 64 * 1024;

/**
 * List of bytes. Small pieces are copied together, so that a server that writes single bytes uses no more
 * memory than its bytes.
 */
export class ByteList {
  readonly #pieces: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (piece.length >= SMALL) {
      this.#closeBlock();
      this.#pieces.push(piece);
    } else if (piece.length > 0) this.#copy(piece);
  }

  /** Removes all bytes, or the first `most`. */
  take(most = this.#size): Buffer {
    this.#closeBlock();
    const bytes = Math.min(most, this.#size);
    this.#size = 0;
    const pieces = this.#pieces.splice(0);
    const [only, other] = pieces;
    return only !== undefined && other === undefined ? only.subarray(0, bytes) : Buffer.concat(pieces, bytes);
  }

  #copy(piece: Buffer): void {
    if (this.#block === undefined || this.#used + piece.length > this.#block.length) {
      this.#closeBlock();
      // The first piece of a line is usually the whole line.
      this.#block = Buffer.allocUnsafe(this.#pieces.length === 0 ? SMALL : BLOCK);
    }
    piece.copy(this.#block, this.#used);
    this.#used += piece.length;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
