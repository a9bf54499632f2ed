import type { Member, Members } from '../../members/member.ts';
import type { RunConfig } from '../run-config.ts';
import { runConfigDocument, runConfigOfDocument } from '../run-config-document.ts';

/** Returns the run config of a member's server; undefined before planning, and for a workload. */
export function memberConfigOf({ config }: Member): RunConfig | undefined {
  return config === undefined ? undefined : runConfigOfDocument(config);
}

/** Returns a member with the run config of its server, as the run config of the virtual server has it. */
export function withMemberConfig(member: Member, config: RunConfig): Member {
  return { ...member, config: runConfigDocument(config) };
}

/** Returns the members with each of their run configs replaced. `change` gets its place in the document. */
export function mapMemberConfigs(
  members: Members,
  change: (config: RunConfig, place: string) => RunConfig,
): Members {
  const changed = Object.entries(members).map(([name, member]) => {
    const config = memberConfigOf(member);
    if (config === undefined) return [name, member] as const;
    return [name, withMemberConfig(member, change(config, `members.${name}.config`))] as const;
  });
  return Object.fromEntries(changed);
}
