const NEWLINE = 0x0a;

export interface LineLimits {
  /** Bytes of a line that are kept. */
  readonly mostBytes: number;
  /** What happens to a longer one: its end is left out, or this error is thrown. */
  readonly longer: 'cut' | (() => Error);
}

/**
 * Lines of a byte stream, without their ends; the last one may have none. Lines
 * end with LF alone, since other line breaks may stand inside JSON strings, and
 * a CR before it belongs to the end. A line that came in pieces is decoded as a
 * whole, so that no character is torn.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  { mostBytes, longer }: LineLimits,
): AsyncGenerator<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  const keep = (piece: Buffer): void => {
    const room = mostBytes - size;
    size += piece.length;
    if (size > mostBytes && longer !== 'cut') throw longer();
    if (piece.length > 0 && room > 0) pieces.push(piece.subarray(0, room));
  };
  const take = (): string => {
    size = 0;
    const parts = pieces.splice(0);
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
    return line.toString('utf8', 0, end);
  };
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      keep(bytes.subarray(from, at));
      yield take();
      from = at + 1;
    }
    keep(bytes.subarray(from));
  }
  if (pieces.length > 0) yield take();
}
