import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { type StartResult, startWorkloads, type StartWorkloadsOptions } from './start-workloads.ts';

export interface StartWantedOptions extends Omit<StartWorkloadsOptions, 'restart'> {
  /** How long the engine may take until it answers. */
  readonly engineTimeoutMs: number;
  /** Told once, when the engine does not answer at once. */
  readonly onWait: (why: unknown) => void;
}

const LOOK_EVERY_MS = 1000;

/**
 * Starts what ran when the machine went down: every workload that was started in
 * the background, and that nobody has stopped since, whether its supervisor was
 * killed or told to end. What runs is left alone. Waits for the engine where one
 * is needed. Throws why it does not answer, and as `startWorkloads` does.
 */
export async function startWanted(
  context: WorkloadContext,
  { engineTimeoutMs, onWait, ...options }: StartWantedOptions,
  signal: AbortSignal,
): Promise<readonly StartResult[]> {
  const wanted: { readonly name: string; readonly isRemote: boolean }[] = [];
  for (const { name, state, config, supervisor } of await context.store.list()) {
    // One that was being removed is to be gone.
    if (state?.wanted !== true || state.status === 'removing') continue;
    if (supervisor !== undefined && (await isAlive(supervisor))) continue;
    wanted.push({ name, isRemote: (config?.remote_url ?? '') !== '' });
  }
  if (wanted.some(({ isRemote }) => !isRemote))
    await awaitEngine(context, { engineTimeoutMs, onWait }, signal);
  const names = wanted.map(({ name }) => name);
  return await startWorkloads(names, context, { ...options, restart: false }, signal);
}

async function awaitEngine(
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  { engineTimeoutMs, onWait }: Pick<StartWantedOptions, 'engineTimeoutMs' | 'onWait'>,
  signal: AbortSignal,
): Promise<void> {
  const ends = performance.now() + engineTimeoutMs;
  for (let isTold = false; ; isTold = true) {
    try {
      await kinds.openRuntime();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() >= ends) throw error;
      if (!isTold) onWait(error);
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  }
}
