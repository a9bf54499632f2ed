import { lstat, rm } from 'node:fs/promises';

/** SQLite's code for a file that somebody else has locked. */
const SQLITE_BUSY = 5;

/** Its codes for a file with something in it that is none of its own. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/**
 * Takes the lock of a file; how to give it back, or undefined when another process,
 * or another taker in this one, has it. It is a lock of the system, which goes with
 * the process that has it, however that ends, and which holds between containers
 * that share a folder; SQLite is how Node.js reaches one. What is damaged is made anew.
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
