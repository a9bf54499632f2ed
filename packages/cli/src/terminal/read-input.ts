import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

/** File argument that means standard input. */
export const STANDARD_INPUT = '-';

export function nameOfInput(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

/**
 * Reads all bytes of a file, or of standard input for `-`. Returns undefined when there are more than
 * `maxBytes`. Throws the errors of reading.
 */
export async function readInput(
  file: string,
  stdin: Readable,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const stream: AsyncIterable<Buffer | string> = file === STANDARD_INPUT ? stdin : createReadStream(file);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length);
}

/** Returns why a file could not be read, as the end of a sentence. */
export function readFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return error instanceof Error ? error.message : String(error);
}
