import type { CurrentDefinitions } from '@portolan/lock';
import { isAlive } from '../../../state/process-identity.ts';
import { definitionsUnreadable } from '../../../supervisor/definitions/definitions-errors.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { askSupervisor } from './ask-supervisor.ts';
import { type ReadOptions, readStopped } from './read-stopped.ts';

/**
 * Returns the definitions of a workload's server before any policy changes them. A workload that does not run is
 * started for the read, without a listener for clients, and stopped again. Throws ERR_WORKLOAD_UNKNOWN, the errors of a
 * start, and ERR_DEFINITIONS_UNREADABLE.
 */
export async function readCurrent(
  name: string,
  context: WorkloadContext,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<CurrentDefinitions> {
  for (;;) {
    const stored = await context.store.find(name);
    if (stored === undefined) throw await context.store.unknown(name);
    const { supervisor, state } = stored;
    if (supervisor === undefined || !(await isAlive(supervisor))) {
      const definitions = await readStopped(name, context, options, signal);
      if (definitions !== undefined) return definitions;
      continue;
    }
    const definitions = await askSupervisor(name, context, signal);
    if (definitions !== undefined) return definitions;
    // Another command may have started the workload only to read it, or the start has failed.
    if (state?.status === 'starting') continue;
    throw definitionsUnreadable(name, 'its supervisor ended before it responded');
  }
}
