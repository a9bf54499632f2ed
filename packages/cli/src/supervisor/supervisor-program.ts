import path from 'node:path';

/**
 * Flags for the initial and maximum size of the young generation, in MB. They only take effect at the start
 * of a process; `bin/supervisor-flags.js` sets all others.
 */
export const SUPERVISOR_ROOM: readonly string[] = ['--min-semi-space-size=2', '--max-semi-space-size=8'];

/** Returns the command line of the supervisor; `packageFolder` is the folder of this package. */
export function supervisorProgram(packageFolder: string): readonly string[] {
  return [process.execPath, ...SUPERVISOR_ROOM, path.join(packageFolder, 'bin/portolan-supervisor.js')];
}
