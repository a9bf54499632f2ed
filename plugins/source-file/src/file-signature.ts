import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Returns a short text that changes when a file is written, replaced, removed or created: device, inode, size
 * and both times in nanoseconds. Symbolic links are followed, so that a changed target counts as a change.
 */
export function signatureOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/**
 * Returns the signature of a path's current target, or the reason for its absence, such as `ENOENT`. Never
 * throws.
 */
export async function signatureAt(path: string): Promise<string> {
  try {
    return signatureOf(await stat(path, { bigint: true }));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
