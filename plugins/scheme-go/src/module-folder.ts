import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findAbove } from '@portolan/scheme-kit';
import { folderMissing, moduleMissing } from './errors.ts';

export interface ModuleFolder {
  /** Absolute path of the folder with the `go.mod`. */
  readonly root: string;
  /** Path of the package in the module, in Go's form: `.`, `./cmd/server`. */
  readonly inside: string;
}

/** Throws ERR_PACKAGE_FOLDER. */
export async function findModuleFolder(named: string, workingDirectory: string): Promise<ModuleFolder> {
  const folder = path.resolve(workingDirectory, named);
  if (!(await isFolder(folder))) throw folderMissing(named, folder);
  const root = findAbove(folder, 'go.mod');
  if (root === undefined) throw moduleMissing(folder);
  const below = path.relative(root, folder).split(path.sep).join('/');
  return { root, inside: below === '' ? '.' : `./${below}` };
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return false;
    throw error;
  }
}
