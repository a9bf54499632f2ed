import type { RunConfig } from '@portolan/run-spec';

/**
 * Returns the target with the version that the workload already runs, if the file names a package without a
 * version. Thus an unchanged file restarts nothing. `portolan update` looks for a newer version.
 */
export function keepVersion(target: string | undefined, earlier: RunConfig | undefined): string | undefined {
  if (target === undefined || earlier === undefined || !target.includes('://')) return target;
  const [named = '', ...program] = target.split('#');
  const [running = '', ...runningProgram] = earlier.run_target.split('#');
  const isSame = running.startsWith(`${named}@`) && !running.slice(named.length + 1).includes('/');
  return isSame && program.join('#') === runningProgram.join('#') ? earlier.run_target : target;
}
