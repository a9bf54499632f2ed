import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 65_536;

/**
 * Yields pieces of at most 64 KiB, each in a separate buffer. Leaves the handle open. Throws the signal's
 * reason soon after it aborts.
 */
export async function* readChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
