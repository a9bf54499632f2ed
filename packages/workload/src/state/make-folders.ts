import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and those above it; one that is there stays as it is. Rejects
 * as `mkdir` does. Node's `recursive` goes on for ever below a folder in which
 * none can be made, such as `/proc`.
 */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    const above = path.dirname(folder);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || above === folder || (await isFolder(above))) throw error;
    await makeFolders(above, mode);
    await makeFolders(folder, mode);
  }
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory();
  } catch {
    return false; // what is wrong with it, `mkdir` has told
  }
}
