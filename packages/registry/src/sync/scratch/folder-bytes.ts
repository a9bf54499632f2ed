import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the total size of the files below a folder, in bytes, without following links. Stops counting above
 * `enough`. 0 when the folder does not exist.
 */
export async function folderBytes(folder: string, enough: number): Promise<number> {
  const seen = new Set<string>();
  const folders = [folder];
  let bytes = 0;
  for (let next = folders.pop(); next !== undefined && bytes <= enough; next = folders.pop()) {
    for (const name of await namesIn(next)) {
      const path = join(next, name);
      const found = await lstat(path).catch(() => undefined); // removed meanwhile
      if (found === undefined) continue;
      if (found.isDirectory()) folders.push(path);
      const key = `${found.dev}:${found.ino}`;
      // A file with two hard links counts once.
      if (found.nlink > 1 && !found.isDirectory() && seen.has(key)) continue;
      if (found.nlink > 1) seen.add(key);
      bytes += found.size;
    }
  }
  return bytes;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
