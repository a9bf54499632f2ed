import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@portolan/run-spec';
import { stateInaccessible } from '../state-errors.ts';
import type { Directories } from '../directories.ts';
import { withLock } from '../file-lock.ts';
import { followLinks } from '../follow-links.ts';
import { writeAtomically } from '../write-atomically.ts';

/** Returns the path of the backup, which holds the content before the last change. */
export function backupOf(file: string): string {
  return `${file}.bak`;
}

/**
 * Returns the error text for a file of 0 bytes. Portolan never writes an empty file, but a crash of the
 * machine may leave one.
 */
export function emptyFault(file: string): string {
  return `it is empty; restore ${backupOf(file)}, which has its content before the last change`;
}

export type Change = (content: Buffer | undefined) => Promise<Uint8Array | string | undefined>;

/**
 * Replaces the content of a file by the result of `change`; an undefined result leaves the file unchanged.
 * Locks out other Portolan processes, and follows symbolic links. Keeps the file's permissions; a new file is
 * readable only by its owner. With `keepsBackup`, stores the previous content as `backupOf(file)`. Throws
 * ERR_STATE_BUSY and ERR_STATE_INACCESSIBLE.
 */
export async function changeFile(
  directories: Pick<Directories, 'groups'>,
  file: string,
  change: Change,
  signal?: AbortSignal,
  { keepsBackup = false }: { readonly keepsBackup?: boolean } = {},
): Promise<void> {
  await withFileLock(
    directories,
    file,
    async (target) => {
      const before = await readBytes(target);
      const changed = await change(before);
      if (changed === undefined) return;
      const mode = await modeOf(target);
      if (keepsBackup && before !== undefined) await writeAtomically(backupOf(target), before, 0o700, mode);
      await writeAtomically(target, changed, 0o700, mode);
    },
    signal,
  );
}

/**
 * Runs an action while holding the file's lock, for which `changeFile` in other processes waits. `target` is
 * the file to which symbolic links lead.
 */
export async function withFileLock<Result>(
  directories: Pick<Directories, 'groups'>,
  file: string,
  action: (target: string) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const target = await followLinks(file);
  const options = signal === undefined ? {} : { signal };
  return await withLock(lockFolderOf(directories, target), () => action(target), options);
}

/** Reads a file; undefined if there is none. Throws ERR_STATE_INACCESSIBLE. */
export async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw stateInaccessible(file, 'read', error);
  }
}

/**
 * Returns the lock folder for a file, among Portolan's own files. In the folder of the file itself, another
 * program could mistake it for its own lock.
 */
function lockFolderOf({ groups }: Pick<Directories, 'groups'>, file: string): string {
  const id = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return path.join(path.dirname(groups), 'locks', `${path.basename(file)}.${id}.lock`);
}

async function modeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0o600;
    throw stateInaccessible(file, 'read', error);
  }
}
