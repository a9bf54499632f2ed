import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';

/**
 * Makes a folder and those above it; one that is there, or that somebody else
 * makes meanwhile, stays as it is. Rejects as `mkdir` does. Node's `recursive`
 * goes on for ever below a folder in which none can be made, such as `/proc`.
 */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  try {
    await makeFolder(folder, mode);
  } catch (error) {
    const above = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || above === folder) throw error;
    await makeFolders(above, mode);
    await makeFolder(folder, mode);
  }
}

async function makeFolder(folder: string, mode: number): Promise<void> {
  for (;;) {
    try {
      await mkdir(folder, { mode });
      return;
    } catch (error) {
      if (await isFolder(folder)) return;
      if (codeOf(error) !== 'EEXIST' || !(await mayBecomeFolder(folder))) throw error;
    }
  }
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory();
  } catch {
    return false; // what is wrong with it, `mkdir` has told
  }
}

/** Others have removed it between two looks, or made it again. A link to nowhere is there, and stays. */
async function mayBecomeFolder(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isDirectory();
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
