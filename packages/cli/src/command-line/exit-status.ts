import { errorClassOf, isPortolanError } from '@portolan/plugin-api';

/** Exit status of comparisons when something differs. */
export const DIFFERS = 3;

/**
 * Returns the exit status for an error: 2 for a mistake in the command line or the configuration, 1 for every
 * other failure. The error of a container that exited has its own status.
 */
export function exitStatusOf(error: unknown): number {
  if (!isPortolanError(error)) return 1;
  if ('exitStatus' in error && typeof error.exitStatus === 'number') return error.exitStatus;
  return errorClassOf(error) === 'mistake' ? 2 : 1;
}
