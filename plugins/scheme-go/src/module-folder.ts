import { stat } from 'node:fs/promises';
import path from 'node:path';
import { folderMissing, moduleMissing } from './errors.ts';

export interface ModuleFolder {
  /** Absolute path of the folder that has the `go.mod`. */
  readonly root: string;
  /** Of the package in it, as Go wants it: `.`, `./cmd/server`. */
  readonly inside: string;
}

/** The module that a folder belongs to. Throws ERR_GO_FOLDER and ERR_GO_MODULE. */
export async function findModuleFolder(named: string, workingDirectory: string): Promise<ModuleFolder> {
  const folder = path.resolve(workingDirectory, named);
  if (!(await is(folder, 'folder'))) throw folderMissing(named, folder);
  for (let root = folder; ; root = path.dirname(root)) {
    if (await is(path.join(root, 'go.mod'), 'file')) {
      const below = path.relative(root, folder).split(path.sep).join('/');
      return { root, inside: below === '' ? '.' : `./${below}` };
    }
    if (root === path.dirname(root)) throw moduleMissing(folder);
  }
}

async function is(file: string, what: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(file);
    return what === 'file' ? found.isFile() : found.isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return false;
    throw error;
  }
}
