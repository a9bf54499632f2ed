import { setTimeout as pass } from 'node:timers/promises';
import {
  type ContainerState,
  type EngineDescription,
  type Logger,
  type ContainerEngine,
  isPortolanError,
} from '@portolan/plugin-api';

const AGAIN_MS = 1000;
const REMOVE_TRIES = 20;

export function isUnreachable(error: unknown): boolean {
  return isPortolanError(error) && error.code === 'ERR_RUNTIME_UNREACHABLE';
}

/** Runs an action, and retries it while the engine is unavailable. */
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

/**
 * Removes a container, with retries for 20 s. If this fails, `doctor` can find the container by its labels.
 * If the engine is unavailable, retries in the background until it is available. Never rejects.
 */
export async function removeForCertain(runtime: ContainerEngine, id: string, logger: Logger): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await runtime.removeContainer(id);
      return;
    } catch (error) {
      if (tries === REMOVE_TRIES) {
        logger.error({ container: id, error }, 'container could not be removed');
        if (isUnreachable(error)) void removeLater(runtime, id, logger);
        return;
      }
      await pass(AGAIN_MS);
    }
  }
}

/** Retries in the background, without keeping the process alive. */
async function removeLater(runtime: ContainerEngine, id: string, logger: Logger): Promise<void> {
  for (;;) {
    await pass(AGAIN_MS, undefined, { ref: false });
    try {
      await runtime.removeContainer(id);
      logger.info({ container: id }, 'container was removed after its engine came back');
      return;
    } catch (error) {
      if (isUnreachable(error)) continue;
      logger.error({ container: id, error }, 'container could not be removed');
      return;
    }
  }
}

/**
 * Maximum number of checks whether a container was removed. Podman removes a container 100 to 300 ms after it
 * kills it, and later under load.
 */
const REMOVAL_LOOKS = 8;
const REMOVAL_LOOK_MS = 250;

/**
 * Returns whether another program removed an exited container, or is removing it. An engine that does not
 * announce removals is polled for 2 s. Throws what the engine throws.
 */
export async function isRemoved(
  { runtime, engine }: EngineCall,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (let left = engine.announcesRemovals === false ? REMOVAL_LOOKS : 1; ; left -= 1) {
    const container = await untilReachable(() => runtime.inspectContainer(id, signal), signal);
    const status = container?.state.status ?? 'removing';
    if (status === 'removing' || status === 'dead') return true;
    if (left === 1) return false;
    await pass(REMOVAL_LOOK_MS, undefined, { signal });
  }
}

interface EngineCall {
  readonly runtime: Pick<ContainerEngine, 'inspectContainer'>;
  readonly engine: Pick<EngineDescription, 'announcesRemovals'>;
}

/** Describes an exit for a message: `exit status 3`, `it ran out of memory (exit status 137)`. */
export function describeExit(state: ContainerState | undefined): string {
  if (state === undefined) return 'its container is gone or cannot be inspected';
  const status = `exit status ${state.exitCode ?? 'unknown'}`;
  if (state.outOfMemory) return `it ran out of memory (${status})`;
  return state.error === undefined || state.error === '' ? status : `${status}, ${state.error}`;
}
