import { access } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, type RunConfig } from '@portolan/run-spec';
import type { Directories } from './directories.ts';

/** Name of a lock file in the data folder of a workload, and next to a workloads file. */
export const LOCK_FILE_NAME = 'portolan.lock';

/**
 * Returns the path of the lock file of a workload: the file that its run config names, or a file in its data folder.
 * The file need not exist.
 */
export function lockFileOf(
  { name, lock_file: file }: Pick<RunConfig, 'name' | 'lock_file'>,
  { policies }: Pick<Directories, 'policies'>,
): string {
  return file === '' ? path.join(policies, name, LOCK_FILE_NAME) : file;
}

/** Returns whether the lock file of a workload exists. True also for a file that cannot be accessed. */
export async function hasLockFile(
  config: Pick<RunConfig, 'name' | 'lock_file'>,
  directories: Pick<Directories, 'policies'>,
): Promise<boolean> {
  return await access(lockFileOf(config, directories)).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}
