import { isPortolanError } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { hostWarnings, notGiven } from '../../supervisor/host/require-host-gives.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * What a runtime that runs workloads by itself would say when it is to start
 * this one: each thing that it would be refused for, and what a run is warned
 * of. Empty for an engine, for a remote server, and where the host does not
 * answer, which the plan of the image tells.
 */
export async function planHost(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (config.remote_url !== '') return [];
  try {
    const opened = await kinds.openRuntime();
    if (opened.runs !== 'workloads') return [];
    const host = await opened.host.describe(signal);
    const refusals = notGiven(config, host).map((what) => `A run would be refused by ${host.name}: ${what}.`);
    return [...refusals, ...hostWarnings(host)];
  } catch (error) {
    signal.throwIfAborted();
    if (isPortolanError(error) && error.code === 'ERR_RUNTIME_UNREACHABLE') return [];
    throw error;
  }
}
