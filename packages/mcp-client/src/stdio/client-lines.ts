import { clientLineTooLong } from './stdio-client-errors.ts';

const LF = 0x0a;

/**
 * Yields non-empty lines; the last needs no line end. Throws ERR_MESSAGE_INVALID for a line that is too long.
 */
export async function* clientLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    let from = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
      const line = Buffer.concat([...pieces, bytes.subarray(from, end)]).toString('utf8');
      pieces = [];
      length = 0;
      from = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (from === bytes.length) continue;
    pieces.push(bytes.subarray(from));
    length += bytes.length - from;
    if (length > maxBytes) throw clientLineTooLong(maxBytes);
  }
  const last = Buffer.concat(pieces).toString('utf8');
  if (last.trim() !== '') yield last;
}
