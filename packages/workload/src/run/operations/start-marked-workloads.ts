import { setTimeout as delay } from 'node:timers/promises';
import { mayHaveContainers } from '../../state/member-config.ts';
import { isAlive } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { type StartResult, startWorkloads, type StartWorkloadsOptions } from './start-workloads.ts';

export interface StartWantedOptions extends Omit<StartWorkloadsOptions, 'restart'> {
  readonly engineTimeoutMs: number;
  /** Called once, when the engine does not respond to the first attempt. `why` is the error. */
  readonly onWait: (why: unknown) => void;
}

const LOOK_EVERY_MS = 1000;

/**
 * Starts every workload that ran in the background before the machine went down. Waits for the engine if
 * needed. Throws the engine's error, and like `startWorkloads`.
 */
export async function startMarkedWorkloads(
  context: WorkloadContext,
  { engineTimeoutMs, onWait, ...options }: StartWantedOptions,
  signal: AbortSignal,
): Promise<readonly StartResult[]> {
  const requested: { readonly name: string; readonly hasContainers: boolean }[] = [];
  for (const { name, state, config, supervisor } of await context.store.list()) {
    // Skip workloads that are being removed, because the user does not want them any more.
    if (state?.wanted !== true || state.status === 'removing') continue;
    if (supervisor !== undefined && (await isAlive(supervisor))) continue;
    requested.push({ name, hasContainers: mayHaveContainers(config) });
  }
  if (requested.some(({ hasContainers }) => hasContainers))
    await awaitEngine(context, { engineTimeoutMs, onWait }, signal);
  const names = requested.map(({ name }) => name);
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
