import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';

/**
 * Creates a folder and its parents. An existing folder stays unchanged, even if another process creates it
 * meanwhile. Rejects as `mkdir` does. Node's `recursive` option would loop forever in a place such as
 * `/proc`.
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
    return false; // `mkdir` has reported the reason
  }
}

/**
 * Returns whether another process removed the entry meanwhile, so that a retry makes sense. A broken symbolic
 * link stays.
 */
async function mayBecomeFolder(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isDirectory();
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
