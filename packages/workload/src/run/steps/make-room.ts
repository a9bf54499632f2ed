import type { UndoStack } from '@portolan/plugin-api';
import { ownProcess } from '../../state/process-identity.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { clearRunning, removeFiles } from '../operations/clear-workload.ts';

/** Time that a server has to stop before it is killed. */
export const STOP_GRACE_MS = 30_000;

/**
 * Stops the workload that has the name and takes its files away. When the run
 * fails, run config and state are put back, as those of a stopped workload.
 * Whether they can be.
 */
export async function makeRoom(
  earlier: StoredWorkload,
  context: WorkloadContext,
  undo: UndoStack,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, supervisor, config, state } = earlier;
  const isKept = config !== undefined && state !== undefined;
  const hasContainers = config === undefined || config.remote_url === '';
  await clearRunning(name, context, { supervisor, graceMs: STOP_GRACE_MS, hasContainers, signal });
  await removeFiles(name, context);
  if (!isKept) return false;
  undo.push('the earlier workload', async () => {
    await context.store.claim(config, await ownProcess());
    await context.store.change(name, (claimed) => ({
      ...claimed,
      ...state,
      status: 'stopped',
      statusContext: 'It made room for another that failed.',
      supervisor: undefined,
      instance: '',
      url: '',
      containerId: '',
    }));
  });
  return true;
}
