/**
 * Gathers the bytes between two places of a stream of chunks, up to a limit.
 * Past the limit they are dropped, so that no input makes it grow.
 */
export class ByteCapture {
  readonly #pieces: Uint8Array[] = [];
  #active = false;
  #start = 0;
  #size = 0;
  #limit = 0;

  get active(): boolean {
    return this.#active;
  }

  /** Starts at this index of the current chunk. */
  begin(index: number, limit: number): void {
    this.#pieces.length = 0;
    this.#active = true;
    this.#start = index;
    this.#size = 0;
    this.#limit = limit;
  }

  /** The current chunk is over. Its bytes are copied: whoever sent it may use its memory again. */
  keepRestOf(chunk: Uint8Array): void {
    if (!this.#active) return;
    this.#add(chunk.subarray(this.#start), true);
    this.#start = 0;
  }

  /**
   * Ends before this index of the current chunk; undefined when there was more
   * than the limit. The bytes are valid until the chunk is.
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
