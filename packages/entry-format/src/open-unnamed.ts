import { randomUUID } from 'node:crypto';
import { constants, unlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Linux: make a file without a name in a folder (open(2)); Node.js has no constant for it. */
const O_TMPFILE = 0o20_000_000 | constants.O_DIRECTORY;

/**
 * A new file in a folder that has no name, so that it is gone when it is closed
 * or the process ends, however it does. Only this user can read it. Where the
 * system makes files with a name only, it is taken away as soon as the file is
 * open: a process that is killed in that very moment leaves an empty file.
 */
export async function openUnnamed(folder: string): Promise<FileHandle> {
  return (await openWithoutName(folder)) ?? openAndUnlink(folder);
}

async function openWithoutName(folder: string): Promise<FileHandle | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return await open(folder, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
  } catch {
    return undefined; // not every file system can; what else is wrong, the other way says
  }
}

/** The way of systems that make files with a name only; see `openUnnamed`. */
export async function openAndUnlink(folder: string): Promise<FileHandle> {
  const name = join(folder, `portolan-${randomUUID()}.part`);
  const file = await open(name, 'wx+', 0o600);
  try {
    // At once, not by a thread that has other things to do first.
    unlinkSync(name);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
