import { addToClients, removeFromClients } from '../../clients/update-clients.ts';
import { findWorkloadAddress } from '../../clients/workload-address.ts';
import type { OperationResult } from './operation-result.ts';
import { removeWorkloads } from './remove-workloads.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { groupStays, groupUnknown } from '../../groups/group-errors.ts';
import { DEFAULT_GROUP, deleteGroup, listGroupNames } from '../../groups/groups.ts';

export interface RemovedGroup {
  /** Whether the group was removed; false when one of its workloads could not be removed. */
  readonly removed: boolean;
  readonly moved: readonly string[];
  readonly results: readonly OperationResult[];
  readonly warnings: readonly string[];
}

/** Returns the names of a group's workloads. Skips workloads with an unreadable run config. */
export async function workloadsInGroup(
  group: string,
  { store }: Pick<WorkloadContext, 'store'>,
): Promise<readonly string[]> {
  const workloads = await store.list();
  return workloads.flatMap(({ name, config }) => {
    if (config === undefined) return [];
    return (config.group === '' ? DEFAULT_GROUP : config.group) === group ? [name] : [];
  });
}

/**
 * Removes a group, and its workloads if `withWorkloads` is set; otherwise moves them to the default group.
 * Throws ERR_SETTING and ERR_GROUP_UNKNOWN.
 */
export async function removeGroup(
  name: string,
  { withWorkloads }: { readonly withWorkloads: boolean },
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<RemovedGroup> {
  if (name === DEFAULT_GROUP) throw groupStays(name);
  if (!(await listGroupNames(context)).includes(name)) throw groupUnknown(name);
  const workloads = await workloadsInGroup(name, context);
  if (withWorkloads && workloads.length > 0) {
    const results = await removeWorkloads(workloads, context, signal);
    if (results.some(({ error }) => error !== undefined)) {
      return { removed: false, moved: [], results, warnings: [] };
    }
    await deleteGroup(name, context);
    return { removed: true, moved: [], results, warnings: [] };
  }
  const warnings: string[] = [];
  for (const workload of workloads) warnings.push(...(await moveToDefault(workload, context)));
  await deleteGroup(name, context);
  return { removed: true, moved: workloads, results: [], warnings };
}

async function moveToDefault(workload: string, context: WorkloadContext): Promise<readonly string[]> {
  const { config } = await context.store.getConfig(workload);
  const address = await findWorkloadAddress(workload, context);
  const before = address === undefined ? [] : await removeFromClients(workload, context);
  await context.store.replaceConfig({ ...config, group: DEFAULT_GROUP });
  const after = address === undefined ? [] : await addToClients(address, DEFAULT_GROUP, context);
  return [...before, ...after];
}
