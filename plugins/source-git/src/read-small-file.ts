import { readFile, stat } from 'node:fs/promises';
import { fileUnusable } from './errors.ts';

/** That there is a file, which is none without end, as a device may be, and none that is waited for, as a pipe. */
export async function requireFile(file: string, place: string, mostBytes = Infinity): Promise<void> {
  const stats = await stat(file).catch((error: unknown) => {
    throw fileUnusable(place, 'cannot be read', error);
  });
  if (!stats.isFile()) throw fileUnusable(place, 'is no file');
  if (stats.size > mostBytes) throw fileUnusable(place, `is larger than ${mostBytes} bytes`);
}

/** The text of a file that the block names at a place. Throws ERR_SOURCE_CREDENTIAL_FILE. */
export async function readSmallFile(file: string, place: string, mostBytes: number): Promise<string> {
  await requireFile(file, place, mostBytes);
  return await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileUnusable(place, 'cannot be read', error);
  });
}
