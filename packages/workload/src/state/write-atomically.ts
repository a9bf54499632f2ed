import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { stateInaccessible } from '../errors.ts';

/**
 * Puts a text in the place of a file: readers see the old one or the new one,
 * and after a power cut one of the two is there. The file is for its owner
 * only where no other mode is given; its folder is made. Throws
 * ERR_STATE_INACCESSIBLE, and then what was there before is unchanged.
 */
export async function writeAtomically(
  file: string,
  text: string | Uint8Array,
  folderMode = 0o700,
  fileMode = 0o600,
): Promise<void> {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: folderMode });
    try {
      await writeAndSync(temporary, text, fileMode);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  } catch (error) {
    throw stateInaccessible(file, 'write', error);
  }
}

async function writeAndSync(file: string, text: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    if (mode !== 0o600) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The rename itself is in the folder. Windows cannot sync one. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
