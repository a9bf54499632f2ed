import type { AppliedWorkload, ApplyAction, ApplyPlan } from '@portolan/workload';
import { describeError } from '../terminal/report-error.ts';
import { workloadsFailed } from '../terminal/terminal-errors.ts';

export interface ApplyReport {
  readonly debug: boolean;
  readonly tell: (lines: readonly string[]) => void;
}

const DONE: Readonly<Record<ApplyAction, string | undefined>> = {
  create: 'is created',
  replace: 'is replaced',
  start: 'is started',
  remove: 'is removed',
  leave: undefined,
  keep: undefined,
  fails: undefined,
};

/** Prints what happened to each workload that the plan changes. Throws ERR_WORKLOADS_FAILED. */
export function reportApplied(results: readonly AppliedWorkload[], { debug, tell }: ApplyReport): void {
  const applied = results.filter(({ action }) => action !== 'leave' && action !== 'keep');
  if (applied.length === 0) tell(['nothing to do']);
  for (const { name, action, url, error, notes } of applied) {
    tell(notes.map((note) => `note: ${name}: ${note}`));
    if (error !== undefined) tell([`${name}: ${describeError(error, { debug }).trimEnd()}`]);
    else tell([`${name} ${DONE[action] ?? ''}${url === undefined ? '' : `: ${url}`}`]);
  }
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length > 0) throw workloadsFailed(failed.length, results.length);
}

/** Throws ERR_WORKLOADS_FAILED if workloads of a plan cannot run. The plan has shown the reasons. */
export function reportFailing({ workloads }: ApplyPlan): void {
  const failing = workloads.filter(({ error }) => error !== undefined);
  if (failing.length > 0) throw workloadsFailed(failing.length, workloads.length);
}
