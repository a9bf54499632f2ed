import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Device, inode, size and both times in nanoseconds. Links are followed, so that a changed target counts as a
 * change.
 */
export function signatureOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/** Returns the reason for absence, such as `ENOENT`. Never throws. */
export async function signatureAt(path: string): Promise<string> {
  try {
    return signatureOf(await stat(path, { bigint: true }));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
