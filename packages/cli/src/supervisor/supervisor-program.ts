import path from 'node:path';

/**
 * How Node.js runs a supervisor. It lives long and does little, so that its heap is kept close to what is in use
 * (decision 34; not by `--optimize-for-size`, which costs half as much CPU again for each call). V8 would soon allocate
 * among old objects what once lived a little longer, and each dead request keep the next one alive (decision 76).
 * Cedar's parser is WebAssembly that runs once: V8 would optimize it with other threads while the container starts,
 * which wants both processors (decision 67). Young objects have 2 MB while it starts (portolan-supervisor.js), and up to 8 under load.
 */
export const SUPERVISOR_FLAGS: readonly string[] = [
  '--min-semi-space-size=2',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
  '--wasm-tiering-budget=100000000',
];

/** Command line of the program that supervises a workload, by the folder of this package. */
export function supervisorProgram(packageFolder: string): readonly string[] {
  return [process.execPath, ...SUPERVISOR_FLAGS, path.join(packageFolder, 'bin/portolan-supervisor.js')];
}
