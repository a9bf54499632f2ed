import { access } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, type RunConfig } from '@portolan/run-spec';
import type { Directories } from './directories.ts';

/** Name of a lock file among the files of a workload, and next to a file of workloads. */
export const LOCK_FILE_NAME = 'portolan.lock';

/**
 * Returns the path of the lock file of a workload: the one that its run config names, else the one among its own
 * files, which need not exist.
 */
export function lockFileOf(
  { name, lock_file: file }: Pick<RunConfig, 'name' | 'lock_file'>,
  { policies }: Pick<Directories, 'policies'>,
): string {
  return file === '' ? path.join(policies, name, LOCK_FILE_NAME) : file;
}

/** Returns whether the lock file of a workload exists, also when it cannot be read. */
export async function hasLockFile(
  config: Pick<RunConfig, 'name' | 'lock_file'>,
  directories: Pick<Directories, 'policies'>,
): Promise<boolean> {
  return await access(lockFileOf(config, directories)).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}
