import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';

/**
 * Creates a folder and its parents. An existing folder stays unchanged, even if another process creates it at
 * the same time. Rejects as `mkdir` does. Replaces Node's `recursive` option, which would loop forever in a
 * folder such as `/proc`.
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
    return false; // the call of `mkdir` has already thrown the reason
  }
}

/**
 * Returns whether another process removed the entry in the meantime, so that a retry can succeed. A broken
 * symbolic link remains, so a retry would fail.
 */
async function mayBecomeFolder(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isDirectory();
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
