import type { MembersProposal } from './propose-members.ts';

const COMMENT = '# Run it: portolan run --members FILE';

/** Words that YAML reads as something other than text, in any version. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Formats a members file in YAML, with one line for each member. No final line break. */
export function formatMembersFile({ members }: Pick<MembersProposal, 'members'>): string {
  const lines = Object.entries(members).map(
    ([name, { workload }]) => `  ${scalar(name)}: { workload: ${scalar(workload)} }`,
  );
  return [COMMENT, 'members:', ...lines].join('\n');
}

/** Quotes a name that YAML could read as a number, a truth value or null. */
function scalar(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && !RESERVED.test(name) ? name : JSON.stringify(name);
}
