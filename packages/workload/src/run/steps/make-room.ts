import type { UndoStack } from '@portolan/plugin-api';
import { ownProcess } from '../../state/process-identity.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { clearRunning, removeFiles, removeTraces } from '../operations/clear-workload.ts';

/** Time that a server has to stop before it is killed. */
export const STOP_GRACE_MS = 30_000;

export interface Room {
  readonly context: WorkloadContext;
  /** Whether logs and what policies have recorded stay: the same workload goes on with other settings. */
  readonly keepsTraces: boolean;
}

/**
 * Stops the workload that has the name. Its run config and state stay until the
 * new ones take their place in one step, so that a full disk or a crash loses
 * neither. When the run fails, they are restored as those of a stopped workload.
 * Returns false when a part was unreadable: then all files of it are deleted.
 */
export async function makeRoom(
  earlier: StoredWorkload,
  { context, keepsTraces }: Room,
  undo: UndoStack,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, supervisor, config, state } = earlier;
  const isKept = config !== undefined && state !== undefined;
  const hasContainers = config === undefined || config.remote_url === '';
  await clearRunning(name, context, { supervisor, graceMs: STOP_GRACE_MS, hasContainers, signal });
  if (!isKept) {
    await removeFiles(name, context);
    return false;
  }
  undo.push('the earlier workload', async () => {
    await context.store.claim(config, await ownProcess(), { replace: true });
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
  // From here on nobody else may claim the name, in state `error` either.
  const own = await ownProcess();
  await context.store.change(name, (now) => ({ ...now, status: 'stopped', supervisor: own }));
  if (!keepsTraces) await removeTraces(name, context);
  return true;
}
