import { randomUUID } from 'node:crypto';
import { constants, unlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Linux flag for an unnamed file (open(2)), for which Node.js has no constant. */
const O_TMPFILE = 0o20_000_000 | constants.O_DIRECTORY;

/**
 * Creates an unnamed private file, which disappears when the process ends in any way. On other systems it is
 * unlinked right after opening.
 */
export async function openUnnamed(folder: string): Promise<FileHandle> {
  return (await openWithoutName(folder)) ?? openAndUnlink(folder);
}

async function openWithoutName(folder: string): Promise<FileHandle | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return await open(folder, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
  } catch {
    return undefined; // unsupported by some file systems; the fallback reports other errors
  }
}

export async function openAndUnlink(folder: string): Promise<FileHandle> {
  const name = join(folder, `portolan-${randomUUID()}.part`);
  const file = await open(name, 'wx+', 0o600);
  try {
    // Synchronously, because a thread pool could delay it.
    unlinkSync(name);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
