import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { stateInaccessible } from './state-errors.ts';

/** Reads a text file; undefined if there is none. Throws ERR_STATE_INACCESSIBLE. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw stateInaccessible(file, 'read', error);
  }
}

/** Returns the names in a folder; empty if there is no folder. Throws ERR_STATE_INACCESSIBLE. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw stateInaccessible(folder, 'read', error);
  }
}

/** Removes a file, or a folder that has its name. Throws ERR_STATE_INACCESSIBLE. */
export async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true, recursive: true });
  } catch (error) {
    throw stateInaccessible(file, 'write', error);
  }
}

/**
 * Removes temporary files that killed processes left when they wrote the file. The caller must hold the lock
 * of the file, so that no process is writing.
 */
export async function removeLeftovers(file: string): Promise<void> {
  const start = `.${path.basename(file)}.`;
  const names = await filesIn(path.dirname(file));
  for (const name of names.filter((one) => one.startsWith(start) && one.endsWith('.tmp'))) {
    await removeFile(path.join(path.dirname(file), name));
  }
}

export async function removeMovedAside(file: string): Promise<void> {
  for (const moved of await findMovedAside(file)) await removeFile(moved);
}

export async function findMovedAside(file: string): Promise<readonly string[]> {
  const start = `${path.basename(file)}.corrupted`;
  const names = await filesIn(path.dirname(file));
  return names
    .filter((one) => one === start || (/^-\d+$/.test(one.slice(start.length)) && one.startsWith(start)))
    .map((name) => path.join(path.dirname(file), name));
}

/** Renames a file to `FILE.corrupted`, or `FILE.corrupted-2` and so on. Throws ERR_STATE_INACCESSIBLE. */
export async function moveAside(file: string): Promise<string> {
  const taken = new Set(await readdir(path.dirname(file)));
  for (let index = 1; ; index += 1) {
    const target = `${file}.corrupted${index === 1 ? '' : `-${index}`}`;
    if (taken.has(path.basename(target))) continue;
    try {
      await rename(file, target);
      return target;
    } catch (error) {
      throw stateInaccessible(file, 'write', error);
    }
  }
}
