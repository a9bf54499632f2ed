import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { runtimeIdOf } from '../../state/directories.ts';
import type { ProcessIdentity } from '../../state/process-identity.ts';
import { listLogFiles } from '../../state/log-files.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { endSupervisor } from './end-supervisor.ts';
import { removeContainers } from '../../supervisor/container/own-containers.ts';

export interface ClearOptions {
  readonly supervisor: ProcessIdentity | undefined;
  readonly graceMs: number;
  /** Whether the workload may have containers: a remote one has none, and no engine is asked. */
  readonly hasContainers: boolean;
  readonly signal: AbortSignal;
}

/** Time that a supervisor has beyond that of its containers. */
const OWN_TIME_MS = 5000;

/**
 * Ends everything of a workload that runs: supervisor, containers, networks,
 * sockets. Its files stay. An engine that cannot be asked is a note: then
 * nobody knows what is left there.
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
      notes.push(`Containers of ${name} could not be looked for, and may be left: ${textOf(error)}.`);
    }
  }
  await removeRuntimeFolder(name, context);
  return notes;
}

/** Sockets of a workload; where they lie depends on whether the user's own folder was there. */
async function removeRuntimeFolder(name: string, { directories }: WorkloadContext): Promise<void> {
  const id = runtimeIdOf(name, directories);
  const userId = process.getuid?.();
  const fallback = path.join(os.tmpdir(), userId === undefined ? 'portolan' : `portolan-${userId}`);
  for (const parent of new Set([directories.runtime, fallback])) {
    await rm(path.join(parent, id), { recursive: true, force: true });
  }
}

/** Removes state, run config and logs. */
export async function removeFiles(name: string, context: WorkloadContext): Promise<void> {
  await context.store.remove(name);
  await removeTraces(name, context);
}

/** Removes logs and what policies keep; run config and state stay. */
export async function removeTraces(
  name: string,
  { directories }: Pick<WorkloadContext, 'directories'>,
): Promise<void> {
  for (const file of listLogFiles(name, directories)) await rm(file, { force: true });
  await rm(path.join(directories.policies, name), { recursive: true, force: true });
}
