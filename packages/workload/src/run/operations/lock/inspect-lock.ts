import {
  type Baseline,
  baselineOf,
  compareDefinitions,
  type CurrentDefinitions,
  type DefinitionFault,
  type Difference,
  type DifferenceValues,
  type LockedDefinitions,
  readLockFile,
  takeBaseline,
  valuesOf,
  type WorkloadFacts,
} from '@portolan/lock';
import { lockFileOf } from '../../../state/lock-place.ts';
import { isAlive } from '../../../state/process-identity.ts';
import { mayDrift } from '../../../supervisor/drift/may-drift.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { notStartable } from '../../run-errors.ts';
import { findLockFacts } from './lock-facts.ts';
import { readCurrent } from './read-current.ts';
import type { ReadOptions } from './read-stopped.ts';

/** Comparison of a workload's lock with what its server sends now. */
export interface LockInspection {
  readonly name: string;
  /** Path of the lock file, which need not exist. */
  readonly file: string;
  /** Undefined if the workload is in no lock file. */
  readonly previous: LockedDefinitions | undefined;
  readonly facts: WorkloadFacts;
  readonly current: CurrentDefinitions;
  /** Without a lock, every item is a difference. */
  readonly differences: readonly DetailedDifference[];
  /** Whether the workload runs without a guard, so that a lock applies only from its next start. */
  readonly needsRestart: boolean;
  /** Definitions that cannot be approved. */
  readonly faults: readonly DefinitionFault[];
}

export type DetailedDifference = Difference & DifferenceValues;

/** Baseline of a workload without a lock, in which every item is new. */
const NOTHING: Baseline = { tools: new Map(), prompts: new Map(), templates: new Map() };

/** Returns the path of a workload's lock file, and its part of it. Throws ERR_LOCK_FILE and the errors of the store. */
export async function findLock(
  name: string,
  context: Pick<WorkloadContext, 'store' | 'directories'>,
): Promise<Pick<LockInspection, 'file' | 'previous'>> {
  const { config } = await context.store.getConfig(name);
  const file = lockFileOf(config, context.directories);
  const stored = await readLockFile(file, { workload: name });
  const workload = stored?.lock.workloads.get(name);
  const previous =
    workload === undefined
      ? undefined
      : { workload, contents: stored?.contents ?? new Map<string, string>() };
  return { file, previous };
}

/**
 * Compares a workload with its lock. A workload that does not run is started for the comparison; see `readCurrent`.
 * Throws the errors of `findLock`, `readCurrent` and `findLockFacts`.
 */
export async function inspectLock(
  name: string,
  context: WorkloadContext,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<LockInspection> {
  const { file, previous } = await findLock(name, context);
  const definitions = await readCurrent(name, context, options, signal);
  // Read the state after the definitions, because a start provides the image.
  const stored = await context.store.find(name);
  if (stored?.config === undefined) throw notStartable(name, stored?.faults ?? []);
  const { facts, resolved } = await findLockFacts(
    { ...stored, config: stored.config },
    previous,
    context,
    signal,
  );
  const isRunning = stored.supervisor !== undefined && (await isAlive(stored.supervisor));
  const current: CurrentDefinitions = { ...definitions, resolved };
  const baseline = previous === undefined ? NOTHING : baselineOf(previous.workload, previous.contents);
  const differences = compareDefinitions(baseline, current, { reportRemoved: true });
  const changes = differences.filter((one) => one.class !== 'none');
  return {
    name,
    file,
    previous,
    facts,
    current,
    differences: changes.map((one) => ({ ...one, ...valuesOf(one, previous, current) })),
    needsRestart: isRunning && !(await mayDrift(stored.config, context.directories)),
    faults: takeBaseline(current).faults,
  };
}
