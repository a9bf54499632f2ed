import { settingsConflict } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { workloadsNotNamed } from '../run-errors.ts';
import { requireGroup } from '../steps/check/require-group.ts';

export interface NameChoice {
  readonly names: readonly string[];
  readonly all?: boolean;
  readonly group?: string;
}

/**
 * Returns the named workloads, those of a group, or all. Throws ERR_BAD_ARGUMENT, ERR_SETTINGS_CONFLICT and
 * ERR_GROUP_UNKNOWN.
 */
export async function chooseNames(
  { names, all = false, group }: NameChoice,
  context: WorkloadContext,
): Promise<readonly string[]> {
  const flag = all ? '--all' : '--group';
  if (names.length > 0) {
    if (all || group !== undefined) throw settingsConflict('a name', flag, 'either names the workloads');
    return [...new Set(names)];
  }
  if (!all && group === undefined) throw workloadsNotNamed();
  if (group !== undefined) await requireGroup(group, context);
  const workloads = await context.store.list();
  return workloads
    .filter(({ config }) => group === undefined || groupOf(config) === group)
    .map(({ name }) => name);
}

function groupOf(config: { readonly group: string } | undefined): string | undefined {
  return config?.group === '' ? 'default' : config?.group;
}
