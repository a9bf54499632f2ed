import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid lock file or invalid contents next to it, with every problem and its place. */
export function badLockFile(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_LOCK_FILE', 'mistake', `${file} is not a valid lock file:${text}`, {
    hint: 'Restore the last version that worked, or correct the named places.',
  });
}

/** Creates the error for a lock file, or contents next to it, that the process cannot read or write. */
export function lockFileInaccessible(file: string, action: 'read' | 'write', cause: unknown): PortolanError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'an unknown error';
  const message = `Cannot ${action} the lock file ${file}: the system reports ${code}.`;
  return new PortolanError('ERR_STATE_INACCESSIBLE', 'fault', message, {
    hint: 'Check the permissions of the file and its folder, and the free space.',
    cause,
  });
}
