import { isPortolanError } from '@portolan/plugin-api';
import { maxSessionsOf, type RunConfig, stdioSessionsOf } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedSessions } from '../run-plan.ts';

/** Returns the maximum number and memory of sessions; undefined for a server that speaks HTTP. */
export async function planSessions(
  config: RunConfig,
  context: Pick<WorkloadContext, 'kinds'>,
  signal: AbortSignal,
): Promise<PlannedSessions | undefined> {
  const { transports } = context.kinds;
  if (config.remote_url !== '' || transports.get(config.transport) !== 'messages') return undefined;
  const processes = stdioSessionsOf(config);
  const most = maxSessionsOf(config, processes);
  const each = await memoryOfOne(context, signal);
  const count = processes === 'own' ? most : 1;
  return { most, processes, memory_bytes: each === undefined ? null : each * count };
}

async function memoryOfOne(
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const opened = await kinds.openRuntime();
    if (opened.runs === 'workloads') return undefined;
    const { defaultLimits } = await opened.engine.describe(signal);
    return defaultLimits?.memoryBytes;
  } catch (error) {
    signal.throwIfAborted();
    if (isPortolanError(error) && error.code === 'ERR_RUNTIME_UNREACHABLE') return undefined;
    throw error;
  }
}
