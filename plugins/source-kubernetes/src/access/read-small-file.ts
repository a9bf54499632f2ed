import { readFileSync, statSync } from 'node:fs';

/** Maximum size in bytes of a kubeconfig, and of files that it names. */
export const MAX_BYTES = 1_048_576;

/**
 * Reads a file synchronously. Throws for anything but a regular file, such as an endless device, and for a
 * file that is too large.
 */
export function readSmallFile(file: string): string {
  const stats = statSync(file);
  if (!stats.isFile()) throw new Error('not a file');
  if (stats.size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
  return readFileSync(file, 'utf8');
}
