import path from 'node:path';

/** How much room young objects have, in MB: at first and at most. It can be said when a process begins only; all else says `bin/supervisor-flags.js`. */
export const SUPERVISOR_ROOM: readonly string[] = ['--min-semi-space-size=2', '--max-semi-space-size=8'];

/** Command line of the program that supervises a workload, by the folder of this package. */
export function supervisorProgram(packageFolder: string): readonly string[] {
  return [process.execPath, ...SUPERVISOR_ROOM, path.join(packageFolder, 'bin/portolan-supervisor.js')];
}
