import { isVirtualServer, kindOfMember, type Member, type Members, type RunConfig } from '@portolan/run-spec';
import { type MemberState, NEW_MEMBER } from '../../../state/member-state.ts';
import type { StoredWorkload } from '../../../state/workload-store.ts';

/** Member of a virtual server. Field names are those of the JSON output of `portolan status`. */
export interface MemberDescription {
  readonly name: string;
  /** `workload`: a workload of this machine. `run`: a server of the virtual server. `url`: a remote server. */
  readonly kind: 'workload' | 'run' | 'url';
  /** Name of the workload, target of `run`, or URL. */
  readonly target: string;
  readonly status: MemberState['status'];
  /** Newest protocol revision that the member speaks; undefined while unknown. */
  readonly revision: string | undefined;
  /** Number of tools in the last known list; undefined while unknown. */
  readonly tools: number | undefined;
  readonly last_error: string | undefined;
  /** Hidden names and other findings, one sentence each. */
  readonly findings: readonly string[];
}

/**
 * Returns the members of a virtual server in their order, with the last recorded states. Undefined for another
 * workload.
 */
export function describeMembers(
  { config, state }: Pick<StoredWorkload, 'config' | 'state'>,
  isRunning: boolean,
): readonly MemberDescription[] | undefined {
  if (config === undefined || !isVirtualServer(config)) return undefined;
  const states = state?.members ?? {};
  return Object.entries(membersOf(config, Object.keys(states))).map(([name, member]) => {
    const known = isRunning && Object.hasOwn(states, name) ? states[name] : undefined;
    return describeMember(name, member, known ?? NEW_MEMBER);
  });
}

/** Returns the number of members of a virtual server; undefined for another workload. */
export function countMembers({
  config,
  state,
}: Pick<StoredWorkload, 'config' | 'state'>): number | undefined {
  if (config === undefined || !isVirtualServer(config)) return undefined;
  return Object.keys(membersOf(config, Object.keys(state?.members ?? {}))).length;
}

/** Returns the settings of the members. Those of a group are workloads, as many as were last recorded. */
export function membersOf(
  { members, member_group: group }: Pick<RunConfig, 'members' | 'member_group'>,
  recorded: readonly string[],
): Members {
  if (group === '') return members;
  return Object.fromEntries(recorded.map((name) => [name, { workload: name }]));
}

function describeMember(
  name: string,
  member: Member,
  { status, revision, tools, lastError, findings }: MemberState,
): MemberDescription {
  const kind = kindOfMember(member);
  return {
    name,
    kind,
    target: member[kind] ?? '',
    status,
    revision: revision === '' ? undefined : revision,
    tools,
    last_error: lastError === '' ? undefined : lastError,
    findings,
  };
}
