import { readFile, stat } from 'node:fs/promises';
import { fileUnusable } from './errors.ts';

/** Rejects anything but a regular file: a device may be endless, and a pipe may block. */
export async function requireFile(file: string, place: string, maxBytes = Infinity): Promise<void> {
  const stats = await stat(file).catch((error: unknown) => {
    throw fileUnusable(place, 'cannot be read', error);
  });
  if (!stats.isFile()) throw fileUnusable(place, 'is not a file');
  if (stats.size > maxBytes) throw fileUnusable(place, `is larger than ${maxBytes} bytes`);
}

/** Throws ERR_SOURCE_CREDENTIAL_FILE. */
export async function readSmallFile(file: string, place: string, maxBytes: number): Promise<string> {
  await requireFile(file, place, maxBytes);
  return await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileUnusable(place, 'cannot be read', error);
  });
}
