import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './usage-error.ts';

/**
 * Writes files below a folder, which it creates. Throws a UsageError when the folder has entries, so that no
 * file is overwritten.
 */
export async function writePlugin(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  if ((await listEntries(folder)).length > 0) {
    throw new UsageError(
      `The folder ${folder} is not empty.`,
      'Choose another folder with --folder, or remove this one.',
    );
  }
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    // `wx` fails for a file that another program has created meanwhile.
    await writeFile(target, text, { flag: 'wx' });
  }
}

/** Returns the names in a folder; none for a missing one. */
async function listEntries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code }: { readonly code?: unknown } = Object(error);
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new UsageError(`${folder} is a file.`, 'Choose another folder with --folder.');
    throw error;
  }
}
