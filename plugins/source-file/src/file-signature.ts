import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * A short text that differs when a file was written, replaced, removed or made
 * again: device, inode, size and both times to the nanosecond. Symbolic links
 * are followed, so that a link that now points elsewhere counts as a change.
 */
export function signatureOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/** The signature of what a path leads to now, or the reason why it leads nowhere, such as `ENOENT`. Never throws. */
export async function signatureAt(path: string): Promise<string> {
  try {
    return signatureOf(await stat(path, { bigint: true }));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
