/** Captures a range of bytes of a stream, and drops those above the limit. */
export class ByteCapture {
  readonly #pieces: Uint8Array[] = [];
  #active = false;
  #start = 0;
  #size = 0;
  #limit = 0;

  get active(): boolean {
    return this.#active;
  }

  begin(index: number, limit: number): void {
    this.#pieces.length = 0;
    this.#active = true;
    this.#start = index;
    this.#size = 0;
    this.#limit = limit;
  }

  /** Copies the bytes of the current chunk, because the sender may reuse the memory. */
  keepRestOf(chunk: Uint8Array): void {
    if (!this.#active) return;
    this.#add(chunk.subarray(this.#start), true);
    this.#start = 0;
  }

  /**
   * Ends the captured range before this index and returns its bytes. Undefined when the range exceeds the
   * limit. The bytes are valid only as long as the chunk.
   */
  end(chunk: Uint8Array, index: number): Uint8Array | undefined {
    this.#active = false;
    if (this.#pieces.length === 0 && this.#size === 0 && index - this.#start <= this.#limit) {
      return chunk.subarray(this.#start, index);
    }
    this.#add(chunk.subarray(this.#start, index), false);
    const bytes = this.#size > this.#limit ? undefined : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    return bytes;
  }

  #add(piece: Uint8Array, copy: boolean): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) this.#pieces.length = 0;
    else this.#pieces.push(copy ? piece.slice() : piece);
  }
}
