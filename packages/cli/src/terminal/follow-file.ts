import { access, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
const PIECE_BYTES = 65_536;

export interface ReadFileOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Whether a file that is not there may still come; left out, it may. */
  readonly mayCome?: () => Promise<boolean>;
}

/**
 * The text of a file, and with `follow` what is added until the signal aborts,
 * or the file is gone and none may come. A file that is not there has no text;
 * one that becomes shorter is read from its beginning again, and so is a new one
 * in its place.
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
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined); // aborted: looked at above
  }
}

async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false, // reading it says why
  );
}

/** Which file it was, and how far it was read: a log that has become too long gets a new file. */
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
