import type { UndoStack } from '@portolan/plugin-api';
import { mayHaveContainers } from '../../state/member-config.ts';
import { ownProcess } from '../../state/process-identity.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { clearRunning, removeFiles, removeTraces } from '../operations/clear-workload.ts';

/** Time in milliseconds for a server to stop before it is killed. */
export const STOP_GRACE_MS = 30_000;

export interface Room {
  readonly context: WorkloadContext;
  /** Whether to keep the log files and the data that policies recorded. */
  readonly keepsTraces: boolean;
}

/**
 * Stops the workload that a run replaces. The workload's files stay until the new files replace them
 * atomically. If the run fails, restores the files with the status `stopped`. Returns false when a file was
 * unreadable; then all files are deleted.
 */
export async function stopReplaced(
  earlier: StoredWorkload,
  { context, keepsTraces }: Room,
  undo: UndoStack,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, supervisor, config, state } = earlier;
  const isKept = config !== undefined && state !== undefined;
  const hasContainers = mayHaveContainers(config);
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
      statusContext: 'It was stopped for a replacement that failed.',
      supervisor: undefined,
      instance: '',
      url: '',
      containerId: '',
    }));
  });
  // From here on, no other run may claim the name, even if the workload has the status `error`.
  const own = await ownProcess();
  await context.store.change(name, (now) => ({ ...now, status: 'stopped', supervisor: own }));
  if (!keepsTraces) await removeTraces(name, context, { keepsLock: true });
  return true;
}
