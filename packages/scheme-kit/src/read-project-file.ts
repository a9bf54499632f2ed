import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackageReference } from '@portolan/plugin-api';
import { folderUnusable } from './scheme-errors.ts';

export type PackageFolder = Extract<PackageReference, { from: 'folder' }>;

/** Marks a folder as a project of an ecosystem. */
export interface ProjectFile {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly text: string;
}

/** Throws ERR_PACKAGE_FOLDER when the folder has no such file. */
export async function readProjectFile(
  { path: named }: PackageFolder,
  name: string,
  workingDirectory: string,
): Promise<ProjectFile> {
  const root = path.resolve(workingDirectory, named);
  try {
    return { root, text: await readFile(path.join(root, name), 'utf8') };
  } catch (error) {
    throw folderUnusable(root, `it has no ${name} that can be read`, error);
  }
}
