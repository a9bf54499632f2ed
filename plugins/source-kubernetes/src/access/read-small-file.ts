import { readFileSync, statSync } from 'node:fs';

/** Most bytes of a kubeconfig, and of a file that it names. */
export const MAX_BYTES = 1_048_576;

/** The text of a file, at once. Throws for what is no file, a device without end above all, and for one that is too large. */
export function readSmallFile(file: string): string {
  const stats = statSync(file);
  if (!stats.isFile()) throw new Error('no file');
  if (stats.size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
  return readFileSync(file, 'utf8');
}
