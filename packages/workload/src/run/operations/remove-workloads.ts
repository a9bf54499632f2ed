import { isWorkloadName, remoteAuthOf, type RunConfig } from '@portolan/run-spec';
import { mayHaveContainers, serverConfigsOf } from '../../state/member-config.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { removeFromClientFiles } from '../../clients/announce-to-clients.ts';
import { clearRunning, removeFiles, removeTraces } from './clear-workload.ts';
import { endSupervisor } from './end-supervisor.ts';
import { finishRemoval, finishUnderLock } from './finish-removals.ts';
import type { OperationResult } from './operation-result.ts';
import { removeContainers } from '../../supervisor/container/own-containers.ts';
import { removeVolumes } from './remove-volumes.ts';
import { runEach } from './run-each.ts';

/**
 * Time in milliseconds that a server may take to stop before it is killed. It is short, because the container
 * is removed anyway.
 */
const GRACE_MS = 10_000;

/**
 * Removes workloads with everything that belongs to them, several at a time and each within five minutes.
 * Works with damaged or missing parts; an unreachable engine gives a note. Rejects only with the signal's
 * reason.
 */
export async function removeWorkloads(
  names: readonly string[],
  context: WorkloadContext,
  signal: AbortSignal,
  options: RemoveOptions = {},
): Promise<readonly OperationResult[]> {
  return await runEach(
    names,
    (name, limited) => removeWorkload(name, context, limited, options),
    (name, error): OperationResult => ({ name, error, changed: false, notes: [] }),
    { what: 'Removing', signal },
  );
}

export interface RemoveOptions {
  /** Whether to remove volumes that Portolan created and no other workload uses. */
  readonly volumes?: boolean;
}

async function removeWorkload(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
  { volumes = false }: RemoveOptions,
): Promise<OperationResult> {
  const { store } = context;
  const before = await store.find(name);
  if (before === undefined) return await removeOrphan(name, context, signal);
  // Removing client entries needs the URL, which is deleted with the state.
  const warnings = await removeFromClientFiles(name, context);
  await markRemoving(before, context);
  // Load the runtime while the supervisor ends, to save time.
  if (mayHaveContainers(before.config)) context.kinds.openRuntime().catch(() => undefined);
  await endSupervisor(name, before.supervisor, { graceMs: GRACE_MS, signal });
  const lock = await store.lock(name, { timeoutMs: 2 * GRACE_MS, signal });
  try {
    const now = (await store.find(name)) ?? before;
    const notes = await clearRunning(name, context, {
      supervisor: now.supervisor,
      graceMs: 0,
      hasContainers: mayHaveContainers(now.config),
      signal,
    });
    await store.remove(name, { keepsRecords: true });
    await removeTraces(name, context);
    const stay =
      now.config === undefined
        ? []
        : [
            ...(await endLogins(now.config, context, signal)),
            ...(await removeVolumes(now.config, context, { removes: volumes, signal })),
          ];
    const removal = {
      name,
      config: now.config,
      url: before.state?.url,
      hasReferences: true,
      hasSecrets: true,
      isOutOfClients: warnings.length === 0,
    };
    const left = await finishRemoval(removal, context, signal);
    return { name, error: undefined, changed: true, notes: [...notes, ...stay, ...left] };
  } finally {
    await lock.release();
  }
}

/**
 * Marks the workload as being removed. Its supervisor then no longer restarts the server or writes the state.
 */
async function markRemoving(
  { name, state }: StoredWorkload,
  { store, logger }: WorkloadContext,
): Promise<void> {
  if (state === undefined) return;
  try {
    await store.change(name, (now) => ({ ...now, status: 'removing', statusContext: '' }));
  } catch (error) {
    // A damaged state or a full disk must not prevent the removal.
    logger.debug({ err: error, workload: name }, 'a removal could not be noted');
  }
}

/**
 * Removes what is left of a workload whose state is gone, such as containers, or secrets in a locked store.
 * Throws ERR_WORKLOAD_UNKNOWN when nothing is left.
 */
async function removeOrphan(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<OperationResult> {
  if (!isWorkloadName(name)) throw await context.store.unknown(name);
  const aside = await context.store.findSetAside(name);
  const unfinished = (await context.store.listUnfinished()).find((one) => one.name === name);
  if (unfinished !== undefined) {
    const notes = await finishUnderLock(unfinished, context, signal);
    await removeFiles(name, context);
    return { name, error: undefined, changed: true, notes };
  }
  const count = await removeContainers(name, context, { graceMs: 0, signal });
  if (count === 0 && aside.length === 0) throw await context.store.unknown(name);
  await removeFiles(name, context);
  return { name, error: undefined, changed: true, notes: [] };
}

/** Ends the logins of a workload and its members, as `endLogin`. */
async function endLogins(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const one of serverConfigsOf(config)) notes.push(...(await endLogin(one, context, signal)));
  return notes;
}

/**
 * Revokes the tokens of a server's login and unregisters its OAuth client. Returns notes about what remains at
 * the server.
 */
async function endLogin(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (config.remote_url === '' || config.remote_auth_config === undefined) return [];
  const { takeBack } = await import('../../login/log-in-again.ts');
  const { noteOnLeftLogin } = await import('../../login/taken-back.ts');
  const taken = await takeBack(config, context, { unregisters: true }, signal);
  return noteOnLeftLogin(remoteAuthOf(config).login, taken);
}
