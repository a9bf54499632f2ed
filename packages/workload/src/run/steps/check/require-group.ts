import { DEFAULT_GROUP, getGroup } from '../../../groups/groups.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Throws ERR_GROUP_UNKNOWN for an unknown group. The default group always exists. */
export async function requireGroup(
  name: string,
  context: Pick<WorkloadContext, 'directories' | 'plannedGroups'>,
): Promise<void> {
  if (context.plannedGroups?.has(name) === true) return;
  if (name !== DEFAULT_GROUP) await getGroup(name, context);
}
