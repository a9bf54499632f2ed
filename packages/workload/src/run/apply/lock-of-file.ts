import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RunConfig, RunRequest } from '@portolan/run-spec';
import { LOCK_FILE_NAME } from '../../state/lock-place.ts';
import { STANDARD_INPUT } from '../steps/read/run-config-file.ts';

/** Lock file next to a workloads file. */
export interface FileLock {
  readonly path: string;
  readonly exists: boolean;
}

/** Returns the lock file next to a workloads file; undefined for standard input and the servers of clients. */
export async function findLockOfFile(file: string, folder: string): Promise<FileLock | undefined> {
  if (file === '' || file === STANDARD_INPUT) return undefined;
  const place = path.join(folder, LOCK_FILE_NAME);
  const isThere = await stat(place).then(
    () => true,
    () => false, // the run of a workload with an inaccessible lock file reports it
  );
  return { path: place, exists: isThere };
}

/**
 * Returns the flag of `run` for the lock file, so that `portolan lock` writes to it. Returns no flag for a run config,
 * which names its own lock file. While the lock file does not exist, existing workloads do not get the flag, because
 * `apply` would restart them without an effect.
 */
export function lockFlagOf(
  request: RunRequest,
  base: RunConfig | undefined,
  lock: FileLock | undefined,
): RunRequest['flags'] {
  if (lock === undefined || request.fromConfig !== undefined) return {};
  const isUsed = lock.exists || base === undefined || base.lock_file === lock.path;
  return isUsed ? { lock: lock.path } : {};
}
