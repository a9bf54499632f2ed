import { ByteList } from './byte-list.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export interface LineLimits {
  /** Maximum size in bytes of a complete line. */
  readonly maxBytes: number;
  /** Maximum number of bytes that are kept of a longer line; at most `maxBytes`. */
  readonly keptOfLonger: number;
}

export interface Line {
  readonly text: string;
  /** Whether the line is complete. False for the beginning of a line that is too long. */
  readonly isWhole: boolean;
}

/**
 * The last line may have no terminator. A line that is too long is yielded as soon as that is known, and
 * skipped to its end. Lines end with LF only, because other line breaks may be inside JSON strings; a
 * preceding CR belongs to the terminator. A line in several pieces is decoded as a whole, so that no
 * character is split.
 */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #buffer = new ByteList();
  #isSkipping = false;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** Yields the lines that end in this chunk, or that exceed the maximum. */
  *read(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const { maxBytes, keptOfLonger } = this.#limits;
    const byteList = this.#buffer;
    for (let from = 0; from < bytes.length; ) {
      const at = bytes.indexOf(NEWLINE, from);
      const end = at < 0 ? bytes.length : at;
      if (!this.#isSkipping && byteList.size + end - from > maxBytes) {
        byteList.add(bytes.subarray(from, end));
        yield { text: byteList.take(keptOfLonger).toString(), isWhole: false };
        this.#isSkipping = true;
      }
      // Nearly every line arrives in one piece, and is not copied.
      const isInOne = at >= 0 && byteList.size === 0;
      if (!this.#isSkipping && isInOne) yield toLine(bytes, from, end);
      else if (!this.#isSkipping) byteList.add(bytes.subarray(from, end));
      from = end + 1;
      if (at < 0) continue;
      if (!this.#isSkipping && !isInOne) yield takeLine(byteList);
      this.#isSkipping = false;
    }
  }

  /** Returns the bytes after the last line end. */
  end(): Line | undefined {
    return this.#buffer.size > 0 ? takeLine(this.#buffer) : undefined;
  }
}

function takeLine(byteList: ByteList): Line {
  const bytes = byteList.take();
  return toLine(bytes, 0, bytes.length);
}

function toLine(bytes: Buffer, from: number, to: number): Line {
  const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
  return { text: bytes.toString('utf8', from, end), isWhole: true };
}
