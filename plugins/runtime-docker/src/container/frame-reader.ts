const HEADER_BYTES = 8;
const STDERR = 2;

export interface Frame {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/**
 * Parses the engine's multiplexed stream: frames of a header (stream, three zeros, four-byte length) and
 * output. Chunks may end anywhere. Parts of a frame are returned at once, so memory is bounded.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #left = 0;
  #starts = false;

  /** Yields the parts of frames in a chunk. `starts` marks the first part of a frame. */
  *read(chunk: Uint8Array): Generator<Frame & { readonly starts: boolean }> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#left === 0) {
        const taken = Math.min(HEADER_BYTES - this.#headerBytes, chunk.length - offset);
        this.#header.set(chunk.subarray(offset, offset + taken), this.#headerBytes);
        this.#headerBytes += taken;
        offset += taken;
        if (this.#headerBytes < HEADER_BYTES) return;
        this.#headerBytes = 0;
        this.#left = this.#header.readUInt32BE(4);
        this.#starts = true;
        continue;
      }
      const taken = Math.min(this.#left, chunk.length - offset);
      const stream = this.#header[0] === STDERR ? 'stderr' : 'stdout';
      this.#left -= taken;
      yield { stream, bytes: chunk.subarray(offset, offset + taken), starts: this.#starts };
      offset += taken;
      this.#starts = false;
    }
  }
}
