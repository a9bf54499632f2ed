import { nearest } from '@portolan/plugin-api';
import { isVirtualServer, kindOfMember } from '@portolan/run-spec';
import { memberName, membersOf, type WorkloadContext } from '@portolan/workload';
import { badArgument } from '../terminal/terminal-errors.ts';

/**
 * Returns the name under which a server logs: that of the workload, of a workload that is a member, or
 * `WORKLOAD/MEMBER`. Throws ERR_WORKLOAD_UNKNOWN, and ERR_BAD_ARGUMENT for a member that does not exist or
 * has no log.
 */
export async function findLogName(
  workload: string,
  member: string | undefined,
  { store }: Pick<WorkloadContext, 'store'>,
): Promise<string> {
  const stored = await store.find(workload);
  if (stored === undefined) throw await store.unknown(workload);
  const { config, state } = stored;
  if (config === undefined || !isVirtualServer(config)) {
    if (member === undefined) return workload;
    throw badArgument(`--member: found ${member}; ${workload} is no virtual server and has no members`);
  }
  const members = membersOf(config, Object.keys(state?.members ?? {}));
  const names = Object.keys(members);
  if (member === undefined) {
    throw badArgument(
      `${workload} is a virtual server, whose members have logs: expected --member with one of ${names.join(', ')}, or --proxy`,
    );
  }
  const settings = Object.hasOwn(members, member) ? members[member] : undefined;
  if (settings === undefined) {
    const near = nearest(member, names);
    const expected = near === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`;
    throw badArgument(`--member: found ${member}, which is no member of ${workload}; ${expected}`);
  }
  const kind = kindOfMember(settings);
  if (kind === 'url') {
    throw badArgument(
      `--member: found ${member}, a remote server, which has no log on this machine; expected --proxy`,
    );
  }
  return kind === 'workload' ? (settings.workload ?? '') : memberName(workload, member);
}
