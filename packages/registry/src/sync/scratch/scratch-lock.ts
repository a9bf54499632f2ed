/** SQLite's code for a file that somebody else has locked. */
const SQLITE_BUSY = 5;

/**
 * Takes the lock of a file; how to give it back, or undefined when another process,
 * or another taker in this one, has it. It is a lock of the system, which goes with
 * the process that has it, however that ends, and which holds between containers
 * that share a folder; SQLite is how Node.js reaches one.
 */
export async function takeScratchLock(file: string): Promise<(() => void) | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return () => database.close();
}
