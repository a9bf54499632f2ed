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
 * Lines of a byte stream, without their ends; the last one may have none. A line
 * that is too long is given as soon as it is, and read over up to its end. Lines
 * end with LF alone, since other line breaks may stand inside JSON strings, and
 * a CR before it belongs to the end. A line that came in pieces is decoded as a
 * whole, so that no character is torn.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  limits: LineLimits,
): AsyncGenerator<Line> {
  const kept = new ByteList();
  let isSkipping = false;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < bytes.length; ) {
      const at = bytes.indexOf(NEWLINE, from);
      const end = at < 0 ? bytes.length : at;
      if (!isSkipping && kept.size + end - from > limits.mostBytes) {
        kept.add(bytes.subarray(from, end));
        yield { text: kept.take(limits.keptOfLonger).toString(), isWhole: false };
        isSkipping = true;
      }
      if (!isSkipping) kept.add(bytes.subarray(from, end));
      from = end + 1;
      if (at < 0) continue;
      if (!isSkipping) yield toLine(kept.take());
      isSkipping = false;
    }
  }
  if (kept.size > 0) yield toLine(kept.take());
}

function toLine(bytes: Buffer): Line {
  const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
  return { text: bytes.toString('utf8', 0, end), isWhole: true };
}
