import type { StoredWorkload, WorkloadStore } from '../../../state/workload-store.ts';
import { groupMoved } from '../../run-errors.ts';

export interface NewWorkload {
  readonly name: string;
  readonly group: string;
}

/**
 * Returns the workload that a run replaces. Without `replace`, checks early that the name is free. Throws
 * ERR_WORKLOAD_EXISTS, the errors of an unreadable state, and ERR_SETTING for a workload in another group
 * unless `movesGroup` is set.
 */
export async function findReplaced(
  { name, group }: NewWorkload,
  replace: boolean,
  store: WorkloadStore,
  movesGroup = false,
): Promise<StoredWorkload | undefined> {
  if (!replace) {
    await store.requireFree(name);
    return undefined;
  }
  const earlier = await store.find(name);
  if (movesGroup) return earlier;
  const earlierGroup = earlier?.config?.group;
  if (earlierGroup !== undefined && earlierGroup !== '' && earlierGroup !== group)
    throw groupMoved(name, earlierGroup);
  return earlier;
}
