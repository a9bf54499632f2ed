import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RunConfig, RunRequest } from '@portolan/run-spec';
import { LOCK_FILE_NAME } from '../../state/lock-place.ts';
import { STANDARD_INPUT } from '../steps/read/run-config-file.ts';

/** Lock file next to a workloads file. */
export interface LockFile {
  readonly path: string;
  readonly exists: boolean;
}

/** Returns the lock file next to a workloads file; undefined for standard input and the servers of clients. */
export async function findLockFile(file: string, folder: string): Promise<LockFile | undefined> {
  if (file === '' || file === STANDARD_INPUT) return undefined;
  const place = path.join(folder, LOCK_FILE_NAME);
  const isThere = await stat(place).then(
    () => true,
    () => false, // an inaccessible lock file is reported by the run of a workload that already has it
  );
  return { path: place, exists: isThere };
}

/**
 * Returns the lock file as a flag. A workload that has it keeps it when the file is gone, because a missing file
 * must not end the protection. A run config names its own.
 */
export function lockOf(
  request: RunRequest,
  base: RunConfig | undefined,
  lock: LockFile | undefined,
): RunRequest['flags'] {
  if (lock === undefined || request.fromConfig !== undefined) return {};
  return lock.exists || base?.lock_file === lock.path ? { lock: lock.path } : {};
}
