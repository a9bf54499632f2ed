import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

/** Maximum size of a key, certificate, password or settings file, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 65_536;

/**
 * Reads the text of a user-specified file, at most `mostBytes` (default 4 MiB), since a device may be
 * endless. Rejects with the system's error, and with the code `EFBIG` for a larger file.
 */
export async function readSmallFile(
  file: string,
  {
    mostBytes = MAX_BYTES,
    signal,
  }: { readonly mostBytes?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  // A stream with an aborted signal opens the file and never closes it.
  signal?.throwIfAborted();
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { end: mostBytes, signal })) chunks.push(chunk);
  return textOf(chunks, mostBytes);
}

/** Works like `readSmallFile`, synchronously. Waits for a pipe until its writer closes it. */
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
