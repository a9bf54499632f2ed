import { type RunRequest, checkBesideFile } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { planFile } from './plan/plan-file.ts';
import type { ListTools } from './plan/plan-members.ts';
import { planRequest, planSources } from './plan/plan-request.ts';
import { planVirtual } from './plan/plan-virtual.ts';
import type { RunPlan } from './run-plan.ts';

export interface PlanOptions {
  /** Lists the tools of running workloads that are members. Default: the tools that are on record. */
  readonly listTools?: ListTools;
}

/**
 * Returns what `runWorkload` would do, with the origin of each setting. Changes nothing, and lists missing
 * inputs instead of asking. Contains no values of variables or secrets. Throws what a run would throw before
 * it changes anything.
 */
export async function planRun(
  request: RunRequest,
  context: WorkloadContext,
  signal: AbortSignal,
  { listTools }: PlanOptions = {},
): Promise<RunPlan> {
  checkBesideFile(request);
  const planning = { context, listTools, plan: planRun };
  const { members, memberGroup } = request.flags;
  if (members !== undefined || memberGroup !== undefined)
    return await planVirtual(request, planSources(context, signal), planning, signal);
  return request.fromConfig === undefined
    ? await planRequest(request, context, signal)
    : await planFile({ ...request, fromConfig: request.fromConfig }, planning, signal);
}
