import path from 'node:path';

/**
 * Command line of the program that supervises a workload, by the folder of this package. Its young objects get little
 * room: it lives long, and under load most of what it would hold otherwise is room. A program can set that at its start only (decision 34).
 */
export function supervisorProgram(packageFolder: string): readonly string[] {
  return [
    process.execPath,
    '--min-semi-space-size=2',
    '--max-semi-space-size=2',
    path.join(packageFolder, 'bin/portolan-supervisor.js'),
  ];
}
