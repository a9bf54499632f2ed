import { lstat, rm } from 'node:fs/promises';

/** SQLite: another connection has locked the file. */
const SQLITE_BUSY = 5;

/** SQLite: foreign or damaged content. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/**
 * Returns the release; undefined when the lock is held. The operating system releases the lock when the
 * process ends, and it works between containers that share a folder. Node.js reaches such a lock only through
 * SQLite. A damaged file is created again.
 */
export async function takeScratchLock(file: string): Promise<(() => void) | undefined> {
  try {
    return await takeLock(file);
  } catch (error) {
    const isFolder = await lstat(file).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder && !DAMAGED.has(errcodeOf(error))) throw error;
    await rm(file, { recursive: true, force: true });
    return await takeLock(file);
  }
}

async function takeLock(file: string): Promise<(() => void) | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (errcodeOf(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
  return () => database.close();
}

function errcodeOf(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
}
