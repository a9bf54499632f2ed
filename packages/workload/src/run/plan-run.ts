import { type RunRequest, checkBesideFile } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { planFile } from './plan/plan-file.ts';
import { planRequest } from './plan/plan-request.ts';
import type { RunPlan } from './run-plan.ts';

/**
 * What `runWorkload` would do with the same request, with where each setting is
 * from. Files, registry and engine are read; nothing is made, pulled, stored or
 * asked for, and what would be asked for is listed. Values of variables and
 * secrets are nowhere in it. Throws as the run would before it makes anything.
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
