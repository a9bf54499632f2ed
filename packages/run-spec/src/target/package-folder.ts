import type { PackageReference } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';

/** Returns whether a text is a folder: `.`, `./notes`, `../notes`, `/srv/notes`. */
export function isPackageFolder(text: string): boolean {
  return text === '.' || text === '..' || /^\.{0,2}\//.test(text);
}

/** Parses a local folder as a package. Throws ERR_PACKAGE for shell characters. */
export function parsePackageFolder(text: string): PackageReference {
  if (/["'`$\\]/.test(text))
    throw badPackage(text, 'the path holds quotes, a backslash or a "$"', 'Name the folder by another path.');
  return { from: 'folder', path: text };
}
