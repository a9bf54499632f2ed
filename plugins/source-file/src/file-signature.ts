import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Returns a text that changes with the file: device, inode, size and both times in nanoseconds. Links are
 * followed, so a changed target counts as a change.
 */
export function signatureOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/**
 * Returns the signature of the file at a path. For an absent file, returns the reason, such as `ENOENT`.
 * Never throws.
 */
export async function signatureAt(path: string): Promise<string> {
  try {
    return signatureOf(await stat(path, { bigint: true }));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
