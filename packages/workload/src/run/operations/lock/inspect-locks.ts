import type { PortolanError } from '@portolan/plugin-api';
import type { WorkloadContext } from '../../../workload-context.ts';
import type { RunObserver } from '../../run-observer.ts';
import { runEach } from '../run-each.ts';
import { inspectLock, type LockInspection } from './inspect-lock.ts';
import type { ReadOptions } from './read-stopped.ts';

/** Inspection of one workload, or why it could not be made. */
export type InspectResult =
  | { readonly name: string; readonly inspection: LockInspection }
  | { readonly name: string; readonly error: PortolanError };

export interface InspectOptions extends Omit<ReadOptions, 'observer'> {
  readonly observerOf: (name: string) => RunObserver;
}

/** Inspects workloads, several at a time and each within five minutes. Rejects only with the signal's reason. */
export async function inspectLocks(
  names: readonly string[],
  context: WorkloadContext,
  { observerOf, ...options }: InspectOptions,
  signal: AbortSignal,
): Promise<readonly InspectResult[]> {
  return await runEach<InspectResult>(
    names,
    async (name, limited) => {
      const own = { ...options, observer: observerOf(name) };
      return { name, inspection: await inspectLock(name, context, own, limited) };
    },
    (name, error) => ({ name, error }),
    { what: 'Reading the definitions', signal },
  );
}
