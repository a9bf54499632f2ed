/** Name of a member of a virtual server, as part of its workload: `WORKLOAD/MEMBER`. No workload has such a name. */
export interface MemberName {
  readonly workload: string;
  readonly member: string;
}

export function memberName(workload: string, member: string): string {
  return `${workload}/${member}`;
}

/** Returns both parts of the name of a member; undefined for the name of a workload. */
export function findMemberName(name: string): MemberName | undefined {
  const at = name.indexOf('/');
  return at === -1 ? undefined : { workload: name.slice(0, at), member: name.slice(at + 1) };
}

/** Returns the workload that a name belongs to: the name itself, or the virtual server of a member. */
export function workloadOf(name: string): string {
  return findMemberName(name)?.workload ?? name;
}
