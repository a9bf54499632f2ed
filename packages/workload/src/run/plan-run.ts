import { type RunRequest, checkBesideFile } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { planFile } from './plan/plan-file.ts';
import { planRequest } from './plan/plan-request.ts';
import type { RunPlan } from './run-plan.ts';

/**
 * Returns what `runWorkload` would do, with the origin of each setting. Changes nothing, and lists missing
 * inputs instead of asking. Contains no values of variables or secrets. Throws what a run would throw before
 * it changes anything.
 */
export async function planRun(
  request: RunRequest,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<RunPlan> {
  checkBesideFile(request);
  return request.fromConfig === undefined
    ? await planRequest(request, context, signal)
    : await planFile(request.fromConfig, context, signal);
}
