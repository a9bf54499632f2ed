import { type Difference, describeDifference } from '@portolan/lock';
import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Maximum number of differences in a message. */
const MAX_NAMED = 5;

/** Returns the first differences as a clause, such as `the tool "search" is new, and 3 more`. */
export function nameDifferences(differences: readonly Difference[]): string {
  const named = differences.slice(0, MAX_NAMED).map(describeDifference);
  const more = differences.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** Creates the error for a workload that is frozen, or was locked before, and is not in its lock file. */
export function workloadNotLocked(name: string, file: string): PortolanError {
  return new PortolanError(
    'ERR_NOT_LOCKED',
    'mistake',
    `"${name}" runs only with its lock, but it is not in the lock file ${quote(file)}.`,
    { hint: 'Restore the lock file, or run the workload without --frozen and lock it with `portolan lock`.' },
  );
}

/** Creates the error for a workload that does not run because its server no longer has what was approved. */
export function driftRefused(name: string, differences: readonly Difference[]): PortolanError {
  return new PortolanError(
    'ERR_DRIFT_REFUSED',
    'mistake',
    `"${name}" does not run, because its server differs from what was approved: ${nameDifferences(differences)}.`,
    {
      hint: 'Run it with --drift hold and without --frozen: this hides the differences until you approve them.',
    },
  );
}
