import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';
import type { Directories } from '../state/directories.ts';
import { withLock } from '../state/file-lock.ts';

/** A file that says when somebody last logged in for a workload; its supervisor looks at it. */
export function loginMarkerOf(workload: string, { policies }: Pick<Directories, 'policies'>): string {
  return path.join(policies, workload, 'login');
}

/** What a login has left is changed under this lock alone: by logins, renewals and logouts, in whichever process. */
export function loginLockOf(workload: string, { policies }: Pick<Directories, 'policies'>): string {
  return path.join(policies, workload, 'login.lock');
}

const MAX_WAIT_MS = 60_000;

/** Changes what a login has left, under its lock. Throws ERR_STATE_BUSY where others take too long. */
export async function withLoginLock<Result>(
  workload: string,
  directories: Pick<Directories, 'policies'>,
  change: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return await withLock(loginLockOf(workload, directories), change, { timeoutMs: MAX_WAIT_MS, signal });
}

/** Says that somebody has logged in, or out. */
export async function touchLoginMarker(file: string, now: Date): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${now.toISOString()}\n`, { mode: 0o600 });
}

/** When that was last said, as a time of its file system; 0 where it never was. */
export async function readLoginMarker(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
