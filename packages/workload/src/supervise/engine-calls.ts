import { setTimeout as pass } from 'node:timers/promises';
import type { ContainerState, Logger, Runtime } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';

const AGAIN_MS = 1000;
const REMOVE_TRIES = 20;
const LOOKS = 30;
const LOOK_MS = 100;

/** Whether the engine itself is not there, so that waiting is better than giving up. */
export function isUnreachable(error: unknown): boolean {
  return isPortolanError(error) && error.code === 'ERR_RUNTIME_UNREACHABLE';
}

/** Does something with an engine that may be restarting: as long as it is not there, it is tried again. */
export async function untilReachable<Result>(
  action: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isUnreachable(error) || signal.aborted) throw error;
      await pass(AGAIN_MS, undefined, { signal });
    }
  }
}

/** Removes a container, whatever comes in between, for some time; what stays is logged, and found by its labels. */
export async function removeForCertain(runtime: Runtime, id: string, logger: Logger): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await runtime.removeContainer(id);
      return;
    } catch (error) {
      if (tries === REMOVE_TRIES) {
        logger.error({ container: id, error }, 'container could not be removed');
        return;
      }
      await pass(AGAIN_MS);
    }
  }
}

/**
 * Whether a container that has ended is being removed by somebody else: an
 * engine kills it first, and is seen removing it a moment later.
 */
export async function isBeingRemoved(
  runtime: Runtime,
  id: string,
  state: ContainerState | undefined,
): Promise<boolean> {
  if (state === undefined) return true;
  if (state.exitCode !== 137 || state.outOfMemory) return false;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await runtime.inspectContainer(id);
    if (found === undefined || found.state.status === 'removing') return true;
    await pass(LOOK_MS);
  }
  return false;
}

/** How a container ended, for people: `exit status 3`, `it ran out of memory (exit status 137)`. */
export function describeExit(state: ContainerState | undefined): string {
  if (state === undefined) return 'its container was removed';
  const status = `exit status ${state.exitCode ?? 'unknown'}`;
  if (state.outOfMemory) return `it ran out of memory (${status})`;
  return state.error === undefined || state.error === '' ? status : `${status}, ${state.error}`;
}
