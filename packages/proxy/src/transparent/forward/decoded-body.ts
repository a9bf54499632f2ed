import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { answerBroken, answerUnreadable } from '../../errors/backend-errors.ts';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Returns a decoder for a response that is compressed although the proxy did not request compression. Throws
 * ERR_ANSWER_UNREADABLE for an unsupported encoding.
 */
export function decoderFor(encoding: string | undefined): Transform | undefined {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const open = DECODERS.get(name);
  if (open === undefined) throw answerUnreadable(name);
  return open();
}

/**
 * Returns the decoded body; undefined when it exceeds the limit. Throws ERR_ANSWER_UNREADABLE for broken or
 * truncated bytes.
 */
export async function collectDecoded(decoder: Transform, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await collectBody(decoder, maxBytes);
  } catch (error) {
    throw answerBroken(error);
  }
}

export async function collectBody(
  stream: NodeJS.ReadableStream,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    // SAFETY: neither responses nor decoders are set to emit anything but bytes.
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
