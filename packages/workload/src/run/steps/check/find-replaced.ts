import type { StoredSettings } from '@portolan/run-spec';
import type { StoredWorkload, WorkloadStore } from '../../../state/workload-store.ts';
import { groupMoved } from '../../run-errors.ts';

export interface NewWorkload {
  readonly name: string;
  readonly group: string;
}

/**
 * Whether the name is free, asked before anything is pulled; the claim decides.
 * With `replace`, the workload that has to make room. Throws
 * ERR_WORKLOAD_EXISTS, ERR_SETTING for one in another group, and without
 * `replace` what is wrong with a state that cannot be read.
 */
export async function findReplaced(
  { name, group }: NewWorkload,
  replace: boolean,
  store: WorkloadStore,
  fromState?: StoredSettings,
): Promise<StoredWorkload | undefined> {
  if (!replace) {
    await store.requireFree(name);
    return undefined;
  }
  const earlier = await store.find(name);
  // A change may move a workload: `update` keeps its group.
  if (fromState !== undefined) return earlier;
  const earlierGroup = earlier?.config?.group;
  if (earlierGroup !== undefined && earlierGroup !== '' && earlierGroup !== group)
    throw groupMoved(name, earlierGroup);
  return earlier;
}
