import { stat } from 'node:fs/promises';
import { outputNoFile } from './state-errors.ts';
import { followLinks } from './follow-links.ts';
import { writeAtomically } from './write-atomically.ts';

/**
 * Puts a text where the user wants it, in place of a file that was there; where
 * that is a link, what it points to is replaced. Throws ERR_NAMED_FILE for a
 * device or a folder, and ERR_STATE_INACCESSIBLE.
 */
export async function writeOutput(
  file: string,
  text: string,
  folderMode: number,
  fileMode: number,
): Promise<void> {
  const there = await stat(file).catch(() => undefined); // whatever is wrong, writing tells
  if (there !== undefined && !there.isFile()) throw outputNoFile(file);
  await writeAtomically(await followLinks(file), text, folderMode, fileMode);
}
