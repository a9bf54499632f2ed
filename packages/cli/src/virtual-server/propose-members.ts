import type { WorkloadListing } from '@portolan/workload';

type Workload = Pick<WorkloadListing, 'name' | 'status' | 'member_count'>;

/** Workload that a proposed members file does not name. */
export interface LeftOut {
  readonly name: string;
  readonly because: string;
}

export interface MembersProposal {
  /** Names of workloads by the name of the member, in the order of the names. */
  readonly members: Readonly<Record<string, { readonly workload: string }>>;
  readonly leftOut: readonly LeftOut[];
}

/** Statuses of workloads that clients cannot reach until a user starts them. */
const DOWN: ReadonlySet<WorkloadListing['status']> = new Set([
  'stopping',
  'stopped',
  'removing',
  'error',
  'unknown',
  'policy_stopped',
]);

/** Returns the members of a virtual server that consists of these workloads, and those that it cannot have. */
export function proposeMembers(workloads: readonly Workload[]): MembersProposal {
  const sorted = workloads.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const leftOut = sorted.flatMap((workload) => {
    const because = whyLeftOut(workload);
    return because === undefined ? [] : [{ name: workload.name, because }];
  });
  const members = sorted
    .filter((workload) => whyLeftOut(workload) === undefined)
    .map(({ name }) => [memberNameOf(name), { workload: name }] as const);
  return { members: Object.fromEntries(members), leftOut };
}

function whyLeftOut({ status, member_count: members }: Workload): string | undefined {
  if (members !== undefined) return 'it is a virtual server itself';
  if (!DOWN.has(status)) return undefined;
  return status === 'stopped' ? 'it is stopped' : `its status is ${status}`;
}

/** Returns the name of a workload as a member, whose name needs a letter. */
function memberNameOf(workload: string): string {
  return /^\d+$/.test(workload) ? `server-${workload}` : workload;
}
