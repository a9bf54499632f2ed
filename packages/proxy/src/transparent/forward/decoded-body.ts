import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { answerBroken, answerUnreadable } from '../../errors/backend-errors.ts';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The stream that undoes a compression which nobody asked for; undefined where there is none. Throws ERR_ANSWER_UNREADABLE. */
export function decoderFor(encoding: string | undefined): Transform | undefined {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const open = DECODERS.get(name);
  if (open === undefined) throw answerUnreadable(name);
  return open();
}

/**
 * Returns everything that a decoder gives, up to a limit; undefined for more. Throws
 * ERR_ANSWER_UNREADABLE when the compressed bytes are broken or cut off.
 */
export async function collectDecoded(decoder: Transform, mostBytes: number): Promise<Buffer | undefined> {
  try {
    return await collectBody(decoder, mostBytes);
  } catch (error) {
    throw answerBroken(error);
  }
}

/** Everything that comes, up to a limit; undefined for more. */
export async function collectBody(
  stream: NodeJS.ReadableStream,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    // SAFETY: neither answers nor decoders are set to give anything but bytes.
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
