import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files below a folder, links not followed; stops counting beyond `enough`. 0 where there is none. */
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
      // A file with two names is there once.
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
