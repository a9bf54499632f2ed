import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

/** Limit of a key, certificate, password or settings file, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 65_536;

/**
 * Reads the text of a user-specified file, at most `maxBytes` (default 4 MiB), since a device may be
 * endless. Rejects with the system's error, and with the code `EFBIG` for a larger file.
 */
export async function readSmallFile(
  file: string,
  {
    maxBytes = MAX_BYTES,
    signal,
  }: { readonly maxBytes?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  // A stream with an aborted signal opens the file and never closes it.
  signal?.throwIfAborted();
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { end: maxBytes, signal })) chunks.push(chunk);
  return textOf(chunks, maxBytes);
}

/** Works like `readSmallFile`, synchronously. For a pipe, waits until its writer closes it. */
export function readSmallFileSync(file: string, maxBytes: number = MAX_BYTES): string {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes <= maxBytes; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, maxBytes + 1 - bytes));
      const read = readSync(descriptor, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      bytes += read;
    }
    return textOf(chunks, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

function textOf(chunks: readonly Buffer[], maxBytes: number): string {
  const whole = Buffer.concat(chunks);
  if (whole.length <= maxBytes) return whole.toString('utf8');
  throw Object.assign(new Error(`it has more than ${maxBytes} bytes`), { code: 'EFBIG' });
}
