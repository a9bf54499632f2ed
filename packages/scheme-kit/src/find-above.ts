import { statSync } from 'node:fs';
import path from 'node:path';

/** Returns the nearest folder at or above `folder` with a file of this name. */
export function findAbove(folder: string, name: string): string | undefined {
  for (let root = folder; ; root = path.dirname(root)) {
    if (isFile(path.join(root, name))) return root;
    if (root === path.dirname(root)) return undefined;
  }
}

/** Also returns false for an unreadable file: reading the folder later reports the reason. */
function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
