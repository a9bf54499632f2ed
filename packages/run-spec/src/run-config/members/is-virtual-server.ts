import type { RunConfig } from '../run-config.ts';
import { findNameProblems, withoutNames } from './find-name-problems.ts';

type VirtualFields = Pick<
  RunConfig,
  'members' | 'member_group' | 'members_file' | 'search' | 'image' | 'remote_url' | 'run_target'
>;

/** Returns whether a workload has members instead of a server of its own. */
export function isVirtualServer({
  members,
  member_group: group,
}: Pick<RunConfig, 'members' | 'member_group'>): boolean {
  return group !== '' || Object.keys(members).length > 0;
}

/** Returns the problems with the fields of a virtual server, and with such fields of another workload. */
export function checkVirtualServer(config: VirtualFields): readonly string[] {
  const { members, member_group: group, members_file: file, search } = config;
  const hasMembers = Object.keys(members).length > 0;
  const isVirtual = isVirtualServer(config);
  const others = (['image', 'remote_url', 'run_target'] as const).filter((name) => config[name] !== '');
  const faults: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [
      group !== '' && Object.entries(members).some(([name, { workload }]) => workload !== name),
      'member_group: expected no members beside it but workloads of the group under their own names',
    ],
    [file !== '' && !hasMembers, 'members_file: expected members beside it, with what is in the file'],
    [search !== undefined && !isVirtual, 'search: expected members or member_group beside it'],
    [
      isVirtual && others.length > 0,
      `members: expected none of image, remote_url and run_target beside it; found ${others.join(', ')}`,
    ],
  ];
  return [
    ...faults.flatMap(([isWrong, fault]) => (isWrong ? [fault] : [])),
    ...findNameProblems({ members, search: group === '' ? search : withoutNames(search) }),
  ];
}
