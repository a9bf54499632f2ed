import { isJsonObject } from '../document/json-members.ts';
import { kindOfMember, type Member, type Members } from '../members/member.ts';
import { serverConfigOf } from '../run-config/members/server-config.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { ConsentFacts, DemandList, Demands, Stranger } from './grant.ts';
import { showAddress } from './judge-address.ts';

export interface MemberJudging {
  readonly author: Stranger;
  readonly facts: ConsentFacts;
  readonly demands: DemandList;
  /** Judges the run config of a member. */
  readonly judge: (config: Readonly<Partial<RunConfig>>, author: Stranger, facts: ConsentFacts) => Demands;
}

/**
 * Adds what the members of a virtual server demand. Each is judged as a server of its own: as the file
 * describes it, and as planned, since either may be what runs.
 */
export function addMemberDemands(members: Members, judging: MemberJudging): void {
  for (const [name, member] of Object.entries(members)) addDemands(name, member, judging);
}

function addDemands(name: string, member: Member, { author, facts, demands, judge }: MemberJudging): void {
  const place = `members.${name}`;
  const { config, workload = '', env_file: envFile } = member;
  for (const [from, part] of [
    [place, serverConfigOf(member)],
    [`${place}.config`, isJsonObject(config) ? (config as Partial<RunConfig>) : {}],
    [`${place}.env_file`, envFile === undefined ? {} : { env_file_dir: envFile }],
  ] as const) {
    const own = judge(part, author, facts);
    for (const grant of own.grants) {
      demands.add({
        ...grant,
        line: `member ${name}: ${grant.line}`,
        setting: `${from}.${grant.setting}`,
      });
    }
    for (const { setting, found, because } of own.refusals) {
      demands.refuse(`${from}.${setting}`, found, because);
    }
  }
  if (workload !== '') {
    const line = `member ${name}: uses the workload ${workload} of this machine`;
    demands.add({ kind: 'connect', line, subject: workload, setting: `${place}.workload` });
  }
  addPassedHeaders(name, member, demands);
}

function addPassedHeaders(name: string, member: Member, demands: DemandList): void {
  const { pass_headers: headers = [], url = '' } = member;
  if (headers.length === 0) return;
  const destination = url === '' ? `its ${kindOfMember(member)} ${serverOf(member)}` : showAddress(url);
  demands.add({
    kind: 'send',
    line: `member ${name}: sends the headers ${headers.join(', ')} of callers to ${destination}`,
    subject: headers.join(', '),
    destination,
    setting: `members.${name}.pass_headers`,
  });
}

function serverOf({ workload, run }: Member): string {
  return workload ?? run ?? '';
}
