import { access, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
const PIECE_BYTES = 65_536;

export interface ReadFileOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Returns whether a missing file may still be created. Default: it may. */
  readonly mayCome?: () => Promise<boolean>;
}

/**
 * Yields the text of a file. With `follow`, goes on with appended text until the signal aborts, or until the
 * file is missing and none may be created. A missing file has no text. A file that becomes shorter, or is
 * replaced, is read from its beginning.
 */
export async function* readFileText(
  file: string,
  { follow, signal, mayCome }: ReadFileOptions,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let position: Position = { file: 0, at: 0 };
  for (;;) {
    for await (const { bytes, next } of readFrom(file, position)) {
      position = next;
      const text = decoder.decode(bytes, { stream: true });
      if (text !== '') yield text;
    }
    if (!follow || signal.aborted) return;
    if (mayCome !== undefined && !(await isThere(file)) && !(await mayCome())) return;
    // The check above handles an abort.
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false, // reading the file reports the reason
  );
}

/** Inode and offset of the last read. Log rotation replaces the file. */
interface Position {
  readonly file: number;
  readonly at: number;
}

async function* readFrom(
  file: string,
  position: Position,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly next: Position }> {
  const handle = await open(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    const { size, ino } = await handle.stat();
    let at = size < position.at || ino !== position.file ? 0 : position.at;
    while (at < size) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield { bytes: buffer.subarray(0, bytesRead), next: { file: ino, at } };
    }
  } finally {
    await handle.close();
  }
}
