import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { runtimeIdOf } from '../../state/directories.ts';
import type { ProcessIdentity } from '../../state/process-identity.ts';
import { listLogFiles, memberLogsOf } from '../../state/log-files.ts';
import { LOCK_FILE_NAME } from '../../state/lock-place.ts';
import { filesIn } from '../../state/state-files.ts';
import { namesWithin } from '../../state/member-config.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { endSupervisor } from './end-supervisor.ts';
import { removeContainers } from '../../supervisor/container/own-containers.ts';

export interface ClearOptions {
  readonly supervisor: ProcessIdentity | undefined;
  readonly graceMs: number;
  /**
   * Whether the workload may have containers. When false, as for a remote server, the engine is not
   * contacted.
   */
  readonly hasContainers: boolean;
  readonly signal: AbortSignal;
}

/** Extra time in milliseconds for the supervisor to exit after its containers have stopped. */
const OWN_TIME_MS = 5000;

/**
 * Stops the supervisor and removes the containers of a workload, but keeps its files. Returns a note when the
 * engine is unreachable.
 */
export async function clearRunning(
  name: string,
  context: WorkloadContext,
  { supervisor, graceMs, hasContainers, signal }: ClearOptions,
): Promise<readonly string[]> {
  await endSupervisor(name, supervisor, { graceMs: graceMs + OWN_TIME_MS, signal });
  const notes: string[] = [];
  if (hasContainers) {
    try {
      await removeContainers(name, context, { graceMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      notes.push(`Containers of ${name} could not be listed and may remain: ${textOf(error)}.`);
    }
  }
  const stored = await context.store.find(name);
  for (const one of stored === undefined ? [name] : namesWithin(stored))
    await removeRuntimeFolder(one, context);
  return notes;
}

async function removeRuntimeFolder(name: string, { directories }: WorkloadContext): Promise<void> {
  const id = runtimeIdOf(name, directories);
  const userId = process.getuid?.();
  const fallback = path.join(os.tmpdir(), userId === undefined ? 'portolan' : `portolan-${userId}`);
  for (const parent of new Set([directories.runtime, fallback])) {
    await rm(path.join(parent, id), { recursive: true, force: true });
  }
}

export async function removeFiles(name: string, context: WorkloadContext): Promise<void> {
  await context.store.remove(name);
  await removeTraces(name, context);
}

/** Removes logs and recorded data. With `keepsLock`, the lock file stays, because it holds approvals. */
export async function removeTraces(
  name: string,
  { directories }: Pick<WorkloadContext, 'directories'>,
  { keepsLock = false }: { readonly keepsLock?: boolean } = {},
): Promise<void> {
  for (const file of listLogFiles(name, directories)) await rm(file, { force: true });
  await rm(memberLogsOf(name, directories), { recursive: true, force: true });
  const folder = path.join(directories.policies, name);
  if (!keepsLock) return await rm(folder, { recursive: true, force: true });
  for (const file of await filesIn(folder))
    if (!file.startsWith(LOCK_FILE_NAME)) await rm(path.join(folder, file), { recursive: true, force: true });
}
