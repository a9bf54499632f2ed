import { lstat, rm } from 'node:fs/promises';

/** SQLite error code: another connection has locked the file. */
const SQLITE_BUSY = 5;

/** SQLite error codes for a file that is damaged or not a database. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/**
 * Acquires a lock and returns the function that releases it; undefined when another process holds it. The
 * lock works between containers that share a folder, and ends with the process. Node.js can use such a lock
 * only through SQLite. A damaged lock file is created again.
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
