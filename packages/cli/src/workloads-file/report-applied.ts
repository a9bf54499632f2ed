import type { AppliedWorkload, ApplyPlan } from '@portolan/workload';
import { reportResults } from '../terminal/report-results.ts';

export interface ApplyReport {
  readonly debug: boolean;
  readonly tell: (lines: readonly string[]) => void;
}

/**
 * Prints what happened to each workload of a plan. Throws the error if the plan has one workload, and
 * ERR_WORKLOADS_FAILED if there are more.
 */
export function reportApplied(results: readonly AppliedWorkload[], report: ApplyReport): void {
  const shown = results.filter(({ action }) => action !== 'leave');
  reportResults(
    shown.map(({ name, action, url, error, notes }) => ({
      name,
      error,
      changed: action !== 'keep',
      notes: url === undefined ? notes : [...notes, `its address is ${url}`],
    })),
    { done: 'is applied', unchanged: 'is unchanged' },
    report,
  );
}

/** Throws as `reportApplied` for the workloads of a plan that cannot run. */
export function reportFailing({ workloads }: ApplyPlan, { debug, tell }: ApplyReport): void {
  const failing = workloads.filter(({ error }) => error !== undefined);
  const results = failing.map(({ name, error }) => ({ name, error, changed: false, notes: [] }));
  // The plan has already shown the errors.
  reportResults(results, { done: '', unchanged: '' }, { debug, tell: failing.length === 1 ? tell : () => undefined });
}
