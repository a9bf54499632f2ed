import type { PortolanError } from '@portolan/plugin-api';
import type { RunConfig, RunRequest } from '@portolan/run-spec';
import type { WorkloadKind } from '@portolan/run-spec/workloads-file';
import type { PlannedChange, PlannedGrant, RunPlan } from '../run-plan.ts';

/**
 * Action of `apply` for a workload: `create` it, `replace` it by one with other settings, `start` it again with
 * its settings, `remove` it, `leave` it although the file no longer has it, or `keep` it as it is. `fails` means
 * that the workload has a problem with which it cannot run.
 */
export type ApplyAction = 'create' | 'replace' | 'start' | 'remove' | 'leave' | 'keep' | 'fails';

/** Plan for one workload, without values of variables and secrets. */
export interface PlannedWorkload {
  readonly name: string;
  readonly action: ApplyAction;
  readonly kind: WorkloadKind | undefined;
  /** Differences from the existing workload; empty without one. */
  readonly changes: readonly PlannedChange[];
  /** Protections that the existing workload loses. */
  readonly lost: readonly string[];
  /** Grants that a registry entry or a run config needs and the user has not given yet. */
  readonly grants: readonly PlannedGrant[];
  readonly warnings: readonly string[];
  /** Plan of the run; undefined for a workload that is not in the file, and for one that fails. */
  readonly run: RunPlan | undefined;
  readonly error: PortolanError | undefined;
}

/** A planned workload with what its run needs. */
export interface PreparedWorkload extends PlannedWorkload {
  readonly request: RunRequest | undefined;
  /** Run config of the existing workload. */
  readonly base: RunConfig | undefined;
  readonly isRunning: boolean;
}

/** Plan of a workloads file. */
export interface ApplyPlan {
  readonly name: string;
  /** Groups that do not exist yet. */
  readonly groups: readonly string[];
  readonly workloads: readonly PreparedWorkload[];
}

const CHANGING: readonly ApplyAction[] = ['create', 'replace', 'start', 'remove'];

/** Returns whether `apply` does something with the workload. */
export function isChanging({ action }: Pick<PlannedWorkload, 'action'>): boolean {
  return CHANGING.includes(action);
}

/** Returns whether the workload is as the file says: it exists with these settings, and runs. */
export function isAsInFile({ action }: Pick<PlannedWorkload, 'action'>): boolean {
  return action === 'keep';
}
