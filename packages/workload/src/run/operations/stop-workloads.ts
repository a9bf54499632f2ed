import { codeOf, textOf } from '@portolan/run-spec';
import { mayHaveContainers } from '../../state/member-config.ts';
import { isAlive } from '../../state/process-identity.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { removeFromClientFiles } from '../../clients/announce-to-clients.ts';
import { clearRunning } from './clear-workload.ts';
import { endSupervisor } from './end-supervisor.ts';
import type { OperationResult } from './operation-result.ts';
import { runEach } from './run-each.ts';

export interface StopWorkloadsOptions {
  /** Time in milliseconds that a server may take to stop before it is killed. Default: 30 s. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Extra time in milliseconds for the supervisor to exit after its containers have stopped. */
const OWN_TIME_MS = 5000;

/**
 * Stops workloads, several at a time and each within five minutes, including those that are starting. Rejects
 * only with the signal's reason.
 */
export async function stopWorkloads(
  names: readonly string[],
  context: WorkloadContext,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: StopWorkloadsOptions,
  signal: AbortSignal,
): Promise<readonly OperationResult[]> {
  return await runEach(
    names,
    (name, limited) => stopWorkload(name, context, timeoutMs, limited),
    (name, error): OperationResult => ({ name, error, changed: false, notes: [] }),
    { what: 'Stopping', signal },
  );
}

/** Stops one workload. Throws ERR_WORKLOAD_UNKNOWN, ERR_STATE_BUSY and ERR_OPERATION_FAILED. */
export async function stopWorkload(
  name: string,
  context: WorkloadContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<OperationResult> {
  const { store } = context;
  const before = await store.find(name);
  if (before === undefined) throw await store.unknown(name);
  const wasSupervised = before.supervisor !== undefined && (await isAlive(before.supervisor));
  const isDone = !wasSupervised && isAtRest(before);
  // Removing client entries needs the URL, which a stop deletes from the state.
  const warnings = isDone ? [] : await removeFromClientFiles(name, context);
  // A command that starts the workload holds the lock until the command ends.
  const ended = await endSupervisor(name, before.supervisor, { graceMs: timeoutMs + OWN_TIME_MS, signal });
  const lock = await store.lock(name, { timeoutMs: timeoutMs + OWN_TIME_MS, signal });
  try {
    const now = await store.find(name);
    // A `portolan run` that is stopped before the workload responds removes the workload itself.
    if (now === undefined) return { name, error: undefined, changed: true, notes: warnings };
    const notes =
      isDone || (ended === 'stopped' && isAtRest(now)) ? [] : await clear(now, context, timeoutMs, signal);
    const unwritten = isDone ? [] : await recordStop(now, context);
    if (!isDone)
      return { name, error: undefined, changed: true, notes: [...notes, ...unwritten, ...warnings] };
    if (now.state?.wanted === true) await store.change(name, (state) => ({ ...state, wanted: false }));
    return { name, error: undefined, changed: false, notes: [...notes, ...warnings] };
  } finally {
    await lock.release();
  }
}

function isAtRest({ state }: StoredWorkload): boolean {
  return state !== undefined && ['stopped', 'error', 'policy_stopped'].includes(state.status);
}

async function clear(
  { name, supervisor, config }: StoredWorkload,
  context: WorkloadContext,
  graceMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const hasContainers = mayHaveContainers(config);
  return await clearRunning(name, context, { supervisor, graceMs, hasContainers, signal });
}

/**
 * Records in the state that the workload was stopped. On a full disk, leaves a marker file instead and
 * returns a note. Does not change an unreadable state, which `doctor` and `rm` handle.
 */
async function recordStop(
  { name, state }: StoredWorkload,
  { store }: WorkloadContext,
): Promise<readonly string[]> {
  if (state === undefined) return [];
  try {
    await store.change(name, (now) => ({
      ...now,
      status: 'stopped',
      wanted: false,
      statusContext: '',
      supervisor: undefined,
      instance: '',
      url: '',
      containerId: '',
    }));
    return [];
  } catch (error) {
    if (codeOf(error) !== 'ERR_STATE_INACCESSIBLE') throw error;
    await store.markStopped(name);
    return [`${name} is stopped, but its state file could not be updated: ${textOf(error)}`];
  }
}
