import { kindOfMember, type Member, type Members, type RunConfig } from '@portolan/run-spec';
import { DEFAULT_GROUP } from '../../groups/default-group.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';

type Workload = Pick<StoredWorkload, 'name' | 'config'>;

/**
 * Returns the members of a virtual server: those that its run config names, or the workloads of its group,
 * ordered by name. Leaves out the virtual server itself, and every virtual server that has it as a member, also
 * indirectly.
 */
export function membersIn(
  { member_group: group, members: settings, name }: Pick<RunConfig, 'member_group' | 'members' | 'name'>,
  workloads: readonly Workload[],
): Members {
  if (group === '') return settings;
  const members = workloads
    .filter(({ config }) => config !== undefined && groupOf(config) === group)
    .filter((one) => one.name !== name && !leadsTo(one.name, name, workloads))
    .map((one): readonly [string, Member] => [one.name, { ...settings[one.name], workload: one.name }])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members);
}

/** Returns whether a workload has another one as a member, directly or through further virtual servers. */
export function leadsTo(from: string, to: string, workloads: readonly Workload[]): boolean {
  const byName = new Map(workloads.map((one) => [one.name, one]));
  const seen = new Set<string>();
  const next = [from];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const config = byName.get(name)?.config;
    const members = config === undefined ? [] : workloadsIn(config, name, workloads);
    if (members.includes(to)) return true;
    next.push(...members);
  }
  return false;
}

function workloadsIn(config: RunConfig, name: string, workloads: readonly Workload[]): readonly string[] {
  const { members, member_group: group } = config;
  const ofGroup =
    group === '' ? [] : workloads.filter((one) => one.config !== undefined && groupOf(one.config) === group);
  const named = Object.values(members).flatMap((member) =>
    kindOfMember(member) === 'workload' ? [member.workload ?? ''] : [],
  );
  return [...named, ...ofGroup.map((one) => one.name).filter((one) => one !== name)];
}

function groupOf({ group }: RunConfig): string {
  return group === '' ? DEFAULT_GROUP : group;
}
