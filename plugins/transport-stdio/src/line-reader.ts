import { ByteList } from './byte-list.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export interface LineLimits {
  /** Most bytes of a line that is kept whole. */
  readonly mostBytes: number;
  /** Bytes that are kept of the beginning of a longer one; not more than `mostBytes`. */
  readonly keptOfLonger: number;
}

export interface Line {
  readonly text: string;
  /** Whether it is a line; else the beginning of one that is too long. */
  readonly isWhole: boolean;
}

/**
 * Makes lines of chunks, without their ends; the last one may have none. A line
 * that is too long is given as soon as it is, and read over up to its end. Lines
 * end with LF alone, since other line breaks may stand inside JSON strings, and
 * a CR before it belongs to the end. A line that came in pieces is decoded as a
 * whole, so that no character is torn.
 */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #kept = new ByteList();
  #isSkipping = false;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** The lines that end in this chunk, or turn out to be too long. */
  *read(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const { mostBytes, keptOfLonger } = this.#limits;
    const kept = this.#kept;
    for (let from = 0; from < bytes.length; ) {
      const at = bytes.indexOf(NEWLINE, from);
      const end = at < 0 ? bytes.length : at;
      if (!this.#isSkipping && kept.size + end - from > mostBytes) {
        kept.add(bytes.subarray(from, end));
        yield { text: kept.take(keptOfLonger).toString(), isWhole: false };
        this.#isSkipping = true;
      }
      // Nearly every line came in one piece, and is not copied.
      const isInOne = at >= 0 && kept.size === 0;
      if (!this.#isSkipping && isInOne) yield toLine(bytes, from, end);
      else if (!this.#isSkipping) kept.add(bytes.subarray(from, end));
      from = end + 1;
      if (at < 0) continue;
      if (!this.#isSkipping && !isInOne) yield takeLine(kept);
      this.#isSkipping = false;
    }
  }

  /** What came after the end of the last line; undefined when nothing did. */
  end(): Line | undefined {
    return this.#kept.size > 0 ? takeLine(this.#kept) : undefined;
  }
}

function takeLine(kept: ByteList): Line {
  const bytes = kept.take();
  return toLine(bytes, 0, bytes.length);
}

function toLine(bytes: Buffer, from: number, to: number): Line {
  const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
  return { text: bytes.toString('utf8', from, end), isWhole: true };
}
