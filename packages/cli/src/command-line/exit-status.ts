import { errorClassOf, isPortolanError } from '@portolan/plugin-api';

/** What a command's manual page says of what it ends with beside the usual. */
export const EXIT_STATUSES: ReadonlyMap<string, string> = new Map([
  ['authz:test', '3: it is denied.'],
  ['run', 'With --foreground it ends as the container does. 130 and 143: it was stopped by a signal.'],
  ['update', '3: with --check, there is something newer. 130 and 143: it was stopped by a signal.'],
]);

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
