import { baselineOf, type GuardBaseline, readLockFile, takeEntryBaseline } from '@portolan/lock';
import { DRIFT_REACTIONS, type DriftReaction, type RunConfig } from '@portolan/run-spec';
import type { Directories } from '../../state/directories.ts';
import { readEntryDefinitions } from '../../state/entry-definitions.ts';
import { lockFileOf } from '../../state/lock-place.ts';
import { workloadNotLocked } from './drift-errors.ts';

export interface DriftRule extends GuardBaseline {
  /** Path of the lock file, which need not exist. */
  readonly file: string;
  /** Whether the workload is in the lock file. */
  readonly isLocked: boolean;
}

/**
 * Reads the baseline of a workload: what its lock file has, or without a lock what its entry publishes. Also decides
 * the reaction to differences: that of the run config, else `hold` with a lock and `warn` without one. Throws
 * ERR_LOCK_FILE for a damaged lock file, ERR_STATE_INACCESSIBLE, and ERR_NOT_LOCKED for a frozen workload that is not
 * in the lock file.
 */
export async function readDriftRule(
  config: Pick<RunConfig, 'name' | 'lock_file' | 'drift' | 'frozen'>,
  directories: Pick<Directories, 'policies'>,
): Promise<DriftRule> {
  const { name, drift, frozen } = config;
  const file = lockFileOf(config, directories);
  const stored = await readLockFile(file, { workload: name });
  const locked = stored?.lock.workloads.get(name);
  if (stored === undefined || locked === undefined) {
    if (frozen) throw workloadNotLocked(name, file);
    const entry = await readEntryDefinitions(name, directories);
    const baseline = entry === undefined ? undefined : takeEntryBaseline(entry)?.baseline;
    return { file, isLocked: false, reaction: reactionOf(drift) ?? 'warn', baseline };
  }
  const reaction = frozen ? 'refuse' : (reactionOf(drift) ?? 'hold');
  return { file, isLocked: true, reaction, baseline: baselineOf(locked, stored.contents) };
}

function reactionOf(text: string): DriftReaction | undefined {
  return DRIFT_REACTIONS.find((one) => one === text);
}
