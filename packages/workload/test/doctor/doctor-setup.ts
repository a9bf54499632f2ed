import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import type { WorkloadState } from '../../src/state/workload-state.ts';
import type { TestWorkloadContext } from '../support/test-workload-context.ts';

/** A process that does not exist. */
export const GONE = { pid: 2 ** 22 + 5, started: 'never' };

/** Stores a workload. */
export async function keep(
  { store }: TestWorkloadContext,
  name: string,
  state: Partial<WorkloadState>,
  config: Partial<RunConfig> = {},
): Promise<void> {
  await store.claim(createRunConfig({ name, image: 'acme/notes', group: 'default', ...config }), GONE);
  await store.change(name, (now) => ({ ...now, supervisor: undefined, ...state }));
}
