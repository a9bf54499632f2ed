import { isPortolanError } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { hostWarnings, notGiven } from '../../supervisor/host/require-host-gives.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * Returns sentences about the settings that a runtime without a container engine would refuse, and its
 * warnings. Returns none when the runtime's host is unreachable, because `planImage` reports that.
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
