import type { Runtime, UndoStack } from '@portolan/plugin-api';
import type { Directories } from '../../state/directories.ts';
import type { FileLock } from '../../state/file-lock.ts';
import { mayHaveContainers } from '../../state/member-config.ts';
import { ownProcess } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { clearRunning, removeFiles } from '../operations/clear-workload.ts';
import {
  removeContainers,
  requireOwnName,
  requireOwnServers,
} from '../../supervisor/container/own-containers.ts';
import type { SettledRun } from './settled-run.ts';

export interface Turn {
  /** Whether the run replaces a workload whose files still exist. */
  readonly replaces: boolean;
  /** Workload lock that the caller already holds. */
  readonly lock?: FileLock | undefined;
}

/**
 * Claims the name of a workload atomically and returns the workload lock. If the run fails, everything under
 * the name is removed. Also removes what an earlier failed workload of this name left on the engine. Throws
 * ERR_WORKLOAD_EXISTS.
 */
export async function reserveName(
  { config, imageDigest, mountPaths = {}, states: members = {} }: SettledRun,
  context: WorkloadContext,
  undo: UndoStack,
  signal: AbortSignal,
  turn: Turn = { replaces: false },
): Promise<FileLock> {
  const { name } = config;
  const { store, kinds, directories } = context;
  const hasContainers = mayHaveContainers(config);
  const runtime = hasContainers ? await kinds.openRuntime() : undefined;
  // Look for leftovers before the claim. If this look-up failed after the claim, the undo would remove
  // another owner's containers.
  const left = runtime === undefined ? [] : await findLeft(name, runtime, directories, signal);
  const { replaces, lock: heldLock } = turn;
  await store.claim(config, await ownProcess(), { imageDigest, mountPaths, members, replace: replaces });
  let lock: FileLock | undefined;
  undo.push('the workload', async () => {
    await clearAll(name, hasContainers, context);
    if (!replaces) await removeFiles(name, context);
    await lock?.release();
  });
  lock = heldLock ?? (await store.lock(name, { signal }));
  if (left.length > 0) await removeContainers(name, context, { graceMs: 0, signal });
  return lock;
}

async function findLeft(
  name: string,
  runtime: Runtime,
  directories: Directories,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  return runtime.runs === 'containers'
    ? await requireOwnName(name, runtime.engine, directories, signal)
    : await requireOwnServers(name, runtime.host, directories, signal);
}

/** Stops the supervisor and removes the containers of the workload, which kills the servers at once. */
async function clearAll(name: string, hasContainers: boolean, context: WorkloadContext): Promise<void> {
  const signal = AbortSignal.timeout(UNDO_MS);
  const supervisor = (await context.store.find(name))?.supervisor;
  const notes = await clearRunning(name, context, { supervisor, graceMs: 0, hasContainers, signal });
  for (const note of notes) context.logger.warn({ workload: name }, note);
}

const UNDO_MS = 30_000;
