import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';
import type { Directories } from '../state/directories.ts';
import { withLock } from '../state/file-lock.ts';

/** Returns the path of a file whose change tells the supervisor of a login or logout. */
export function loginMarkerOf(workload: string, { policies }: Pick<Directories, 'policies'>): string {
  return path.join(policies, workload, 'login');
}

/**
 * Returns the path of the lock for changes of a login. Logins, renewals and logouts hold it in all processes.
 */
export function loginLockOf(workload: string, { policies }: Pick<Directories, 'policies'>): string {
  return path.join(policies, workload, 'login.lock');
}

const MAX_WAIT_MS = 60_000;

/** Runs a change of the login under its lock. Throws ERR_STATE_BUSY on timeout. */
export async function withLoginLock<Result>(
  workload: string,
  directories: Pick<Directories, 'policies'>,
  change: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return await withLock(loginLockOf(workload, directories), change, { timeoutMs: MAX_WAIT_MS, signal });
}

export async function touchLoginMarker(file: string, now: Date): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${now.toISOString()}\n`, { mode: 0o600 });
}

/** Returns the time of the last login or logout in milliseconds; 0 if there was none. */
export async function readLoginMarker(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
