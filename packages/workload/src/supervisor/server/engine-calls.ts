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

/**
 * Removes a container and tries again for 20 s. One that stays is logged, and
 * `doctor` finds it by its labels; while its engine is away, a supervisor that
 * runs on removes it once the engine is back. Never rejects.
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

/** Keeps no process alive: nobody waits for it. */
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

/** Podman removes a container some 100 to 300 ms after it has killed it, and later on a busy machine. */
const REMOVAL_LOOKS = 8;
const REMOVAL_LOOK_MS = 250;

/**
 * Whether a container that has ended was removed by somebody else, or is being
 * removed: an engine says so from before it kills it, or it is looked at for a
 * moment. Nothing but the engine's own word counts. Throws what the engine does.
 */
export async function isRemoved(
  { runtime, engine }: AskedEngine,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (let left = engine.announcesRemovals === false ? REMOVAL_LOOKS : 1; ; left -= 1) {
    const found = await untilReachable(() => runtime.inspectContainer(id, signal), signal);
    const status = found?.state.status ?? 'removing';
    if (status === 'removing' || status === 'dead') return true;
    if (left === 1) return false;
    await pass(REMOVAL_LOOK_MS, undefined, { signal });
  }
}

interface AskedEngine {
  readonly runtime: Pick<ContainerEngine, 'inspectContainer'>;
  readonly engine: Pick<EngineDescription, 'announcesRemovals'>;
}

/** How a container ended, for people: `exit status 3`, `it ran out of memory (exit status 137)`. */
export function describeExit(state: ContainerState | undefined): string {
  if (state === undefined) return 'its container is gone, or cannot be looked at';
  const status = `exit status ${state.exitCode ?? 'unknown'}`;
  if (state.outOfMemory) return `it ran out of memory (${status})`;
  return state.error === undefined || state.error === '' ? status : `${status}, ${state.error}`;
}
