import { errorClassOf, isPortolanError } from '@portolan/plugin-api';

/**
 * The exit status of a command that ended with this error: 2 for what is put
 * right by changing the command line or the configuration, 1 for every other
 * failure, known or not. An error that tells of a container's end has its own.
 */
export function exitStatusOf(error: unknown): number {
  if (!isPortolanError(error)) return 1;
  if ('exitStatus' in error && typeof error.exitStatus === 'number') return error.exitStatus;
  return errorClassOf(error) === 'mistake' ? 2 : 1;
}
