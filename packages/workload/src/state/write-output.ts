import { stat } from 'node:fs/promises';
import { outputNoFile } from './state-errors.ts';
import { followLinks } from './follow-links.ts';
import { writeAtomically } from './write-atomically.ts';

/**
 * Writes a text to a file that the user names. Replaces an existing file, or the target of a symbolic link.
 * Throws ERR_NAMED_FILE for a device or a folder, and ERR_STATE_INACCESSIBLE.
 */
export async function writeOutput(
  file: string,
  text: string,
  folderMode: number,
  fileMode: number,
): Promise<void> {
  const there = await stat(file).catch(() => undefined); // the write reports any problem
  if (there !== undefined && !there.isFile()) throw outputNoFile(file);
  await writeAtomically(await followLinks(file), text, folderMode, fileMode);
}
