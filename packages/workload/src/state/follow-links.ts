import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';
import { stateInaccessible } from './state-errors.ts';

const MAX_LINKS = 40;

/**
 * Returns the path that a file's symbolic links lead to, even if nothing exists there. Throws
 * ERR_STATE_INACCESSIBLE.
 */
export async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw stateInaccessible(file, 'read', error);
  }
  let place = path.resolve(file);
  for (let links = 0; links < MAX_LINKS && (await isLink(place)); links += 1) {
    place = path.resolve(path.dirname(place), await readlink(place));
  }
  return place;
}

async function isLink(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isSymbolicLink();
  } catch {
    return false;
  }
}
