import type { StoredSettings } from '@portolan/run-spec';
import type { StoredWorkload, WorkloadStore } from '../../../state/workload-store.ts';
import { groupMoved } from '../../run-errors.ts';

export interface NewWorkload {
  readonly name: string;
  readonly group: string;
}

/**
 * Returns the workload that a run replaces. Without `replace`, checks early that the name is free. Throws
 * ERR_WORKLOAD_EXISTS, ERR_SETTING for a workload in another group, and the errors of an unreadable state.
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
  // Skip the check of the group for stored settings: `portolan change` may move a workload to another group.
  if (fromState !== undefined) return earlier;
  const earlierGroup = earlier?.config?.group;
  if (earlierGroup !== undefined && earlierGroup !== '' && earlierGroup !== group)
    throw groupMoved(name, earlierGroup);
  return earlier;
}
