import { settingsConflict, type Members } from '@portolan/run-spec';
import type { StoredWorkload } from '../../state/workload-store.ts';
import { leadsTo } from '../../supervisor/members/group-members.ts';

/**
 * Refuses members that are the virtual server itself, also through other virtual servers. Returns warnings about
 * workloads that do not exist. Throws ERR_SETTINGS_CONFLICT.
 */
export function checkWorkloadMembers(
  name: string,
  members: Members,
  workloads: readonly StoredWorkload[],
): readonly string[] {
  const warnings: string[] = [];
  for (const [member, { workload }] of Object.entries(members)) {
    if (workload === undefined) continue;
    const place = `members.${member}.workload: ${workload}`;
    if (workload === name)
      throw settingsConflict(place, `the virtual server ${name}`, 'it cannot be a member of itself');
    if (leadsTo(workload, name, workloads))
      throw settingsConflict(place, `the virtual server ${name}`, `${name} is a member of ${workload}`);
    if (workloads.every((one) => one.name !== workload))
      warnings.push(
        `member ${member}: there is no workload ${workload} yet; it is unavailable until there is.`,
      );
  }
  return warnings;
}
