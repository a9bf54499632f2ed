import type { CurrentDefinitions } from '@portolan/lock';
import { definitionsUnreadable } from '../../../supervisor/definitions/definitions-errors.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { reachWorkload } from '../list/reach-workload.ts';
import { askSupervisor } from './ask-supervisor.ts';

/**
 * Returns the definitions of a running workload's server before any policy changes them. Starts nothing. Throws
 * ERR_WORKLOAD_UNKNOWN, ERR_WORKLOAD_NOT_RUNNING, ERR_STATE_BUSY and ERR_DEFINITIONS_UNREADABLE.
 */
export async function readRunning(
  name: string,
  context: Pick<WorkloadContext, 'directories' | 'store'>,
  signal: AbortSignal,
): Promise<CurrentDefinitions> {
  await reachWorkload(name, context);
  const definitions = await askSupervisor(name, context, signal);
  if (definitions === undefined)
    throw definitionsUnreadable(name, 'its supervisor ended before it responded');
  return definitions;
}
