import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openUnnamed } from '@portolan/entry-format';
import { spoolUnwritable, urlTooLarge } from './errors.ts';
import { readChunks } from './read-chunks.ts';

/**
 * Downloaded document in a temporary file. No other process can open the file, and it disappears when it is
 * closed or the process ends.
 */
export interface Spool {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
  /** Yields the bytes from the beginning, in pieces. */
  read(signal: AbortSignal): AsyncGenerator<Uint8Array, void>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Writes a body to an unnamed temporary file. Throws ERR_SOURCE_TOO_LARGE after `maxBytes`, and
 * ERR_SOURCE_FILE_UNREADABLE when the folder is not writable.
 */
export async function spoolBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Spool> {
  const handle = await openSpool();
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) throw urlTooLarge(maxBytes);
      hash.update(chunk);
      await writeAll(handle, chunk);
    }
    let closing: Promise<void> | undefined;
    return {
      hash: hash.digest('hex'),
      read: (signal) => readChunks(handle, signal),
      close: () => (closing ??= handle.close()),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openSpool(): Promise<FileHandle> {
  try {
    return await openUnnamed(tmpdir());
  } catch (error) {
    throw spoolUnwritable(error);
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  try {
    for (let written = 0; written < chunk.byteLength; ) {
      written += (await handle.write(chunk, written)).bytesWritten;
    }
  } catch (error) {
    throw spoolUnwritable(error);
  }
}
