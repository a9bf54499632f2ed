import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

/** More than any key, certificate, password or list of settings needs. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 65_536;

/**
 * The text of a file that somebody has named, of which no more than `mostBytes` (4 MiB where it
 * is left out) are ever read: a device may have no end. Rejects with what the system says, and
 * with the code `EFBIG` for what is longer.
 */
export async function readSmallFile(
  file: string,
  {
    mostBytes = MAX_BYTES,
    signal,
  }: { readonly mostBytes?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  // A stream that is made with an aborted signal opens the file and never closes it.
  signal?.throwIfAborted();
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { end: mostBytes, signal })) chunks.push(chunk);
  return textOf(chunks, mostBytes);
}

/** The same at once. A pipe is waited for until it has been written to, and its end is there. */
export function readSmallFileSync(file: string, mostBytes: number = MAX_BYTES): string {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes <= mostBytes; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, mostBytes + 1 - bytes));
      const read = readSync(descriptor, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      bytes += read;
    }
    return textOf(chunks, mostBytes);
  } finally {
    closeSync(descriptor);
  }
}

function textOf(chunks: readonly Buffer[], mostBytes: number): string {
  const whole = Buffer.concat(chunks);
  if (whole.length <= mostBytes) return whole.toString('utf8');
  throw Object.assign(new Error(`it has more than ${mostBytes} bytes`), { code: 'EFBIG' });
}
