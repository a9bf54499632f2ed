import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import type { Removal } from './remove-versions.ts';
import { keyOf } from './source-entries.ts';
import type { SpoolStep } from './spool.ts';

/** Steps that can be written together. */
interface Run {
  readonly removals: Removal[];
  /** Unique versions, written after the removals. */
  readonly versions: PreparedVersion[];
}

/** Groups steps into as few runs as possible without changing the result of executing them in order. */
export function runsOf(steps: readonly SpoolStep[]): readonly Run[] {
  const runs: Run[] = [];
  let run: Run = { removals: [], versions: [] };
  let seen = new Set<string>();
  const next = (): void => {
    runs.push(run);
    run = { removals: [], versions: [] };
    seen = new Set();
  };
  for (const step of steps) {
    if ('removal' in step) {
      if (run.versions.length > 0) next();
      run.removals.push(step.removal);
      continue;
    }
    const key = `${keyOf(step.version)} ${step.version.version}`;
    if (seen.has(key)) next();
    seen.add(key);
    run.versions.push(step.version);
  }
  next();
  return runs;
}
