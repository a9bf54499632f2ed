import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, ownProcess, type ProcessIdentity } from '../../state/process-identity.ts';
import { supervisorStays } from '../run-errors.ts';

export interface EndOptions {
  /** Time in milliseconds for the supervisor to stop its workload. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

/** Shortest interval between two checks in milliseconds: most supervisors end soon. */
const SHORTEST_POLL_MS = 2;
const MAX_POLL_MS = 25;
const AFTER_KILL_MS = 5000;

/**
 * Ends a supervisor with SIGTERM, then SIGKILL. Compares the process's start time, so that an unrelated
 * process that reuses the id is not killed. Throws ERR_OPERATION_FAILED.
 */
export async function endSupervisor(
  name: string,
  supervisor: ProcessIdentity | undefined,
  { graceMs, signal }: EndOptions,
): Promise<'was gone' | 'stopped' | 'killed'> {
  if (supervisor === undefined || (await isOwn(supervisor)) || !(await isAlive(supervisor)))
    return 'was gone';
  send(supervisor.pid, 'SIGTERM');
  if (await hasEnded(supervisor, graceMs, signal)) return 'stopped';
  send(supervisor.pid, 'SIGKILL');
  if (await hasEnded(supervisor, AFTER_KILL_MS, signal)) return 'killed';
  throw supervisorStays(name, supervisor.pid);
}

/**
 * Returns whether this very process is recorded as the supervisor. While a command starts a workload, the
 * command itself is recorded.
 */
async function isOwn(supervisor: ProcessIdentity): Promise<boolean> {
  return supervisor.pid === (await ownProcess()).pid;
}

function send(pid: number, signalName: NodeJS.Signals): void {
  try {
    process.kill(pid, signalName);
  } catch (error) {
    // ESRCH: the process has ended. EPERM: it belongs to another user, and the wait times out.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

async function hasEnded(
  supervisor: ProcessIdentity,
  withinMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const startedAt = performance.now();
  for (let pollMs = SHORTEST_POLL_MS; await isAlive(supervisor); ) {
    const passedMs = performance.now() - startedAt;
    if (passedMs >= withinMs) return false;
    await delay(pollMs, undefined, { signal });
    pollMs = Math.min(MAX_POLL_MS, Math.max(SHORTEST_POLL_MS, passedMs / 20));
  }
  return true;
}
