import type { FlagRow } from '../flag-row.ts';

export const MEMBERS_FLAGS = {
  members: {
    flag: 'members',
    is: 'text',
    group: 'WORKLOAD',
    description: 'run a virtual server with the members of a YAML or JSON file, instead of a server',
    helpValue: 'FILE',
    field: 'members',
    names: 'files',
  },
  memberGroup: {
    flag: 'member-group',
    is: 'text',
    group: 'WORKLOAD',
    description: 'run a virtual server whose members are the workloads of a group, instead of a server',
    helpValue: 'NAME',
    field: 'member_group',
    setting: { default: undefined },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
