import { writeFile } from 'node:fs/promises';
import { confirm, type Terminal } from '../terminal/ask/confirm.ts';
import { readFault } from '../terminal/read-input.ts';
import { documentUnwritten, wouldOverwrite } from './init-errors.ts';

/**
 * Writes a new file. Overwrites an existing one only with `mayOverwrite`, or after a confirmation on the
 * terminal. Throws ERR_RESOURCE_EXISTS, ERR_NOT_CONFIRMED and ERR_INIT_WRITE.
 */
export async function writeDocument(
  file: string,
  text: string,
  { mayOverwrite, terminal }: { readonly mayOverwrite: boolean; readonly terminal: Terminal },
): Promise<void> {
  if (!mayOverwrite) {
    if (await write(file, text, 'wx')) return;
    if (terminal.input.isTTY !== true) throw wouldOverwrite(file);
    await confirm(`${file} already exists. Overwrite it? [y/N] `, ['y', 'yes'], terminal);
  }
  await write(file, text, 'w');
}

/** Writes the file. Returns false when it exists and `flag` only allows a new file. */
async function write(file: string, text: string, flag: 'w' | 'wx'): Promise<boolean> {
  try {
    await writeFile(file, text, { flag });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw documentUnwritten(file, readFault(error), error);
  }
}
