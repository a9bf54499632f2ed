import type { PlannedMember, PlannedVirtualServer } from '@portolan/workload';
import { effectsOf, type Section } from '../terminal/format/format-plan.ts';
import { formatTable } from '../terminal/format/format-table.ts';

const ORIGINS = {
  workload: 'listed now',
  record: 'listed earlier',
  entry: 'of its entry',
  file: 'named in the file',
} as const;

/** Formats the plan of a virtual server as sections of `portolan plan`. */
export function formatMembersPlan(plan: PlannedVirtualServer): readonly Section[] {
  const long = plan.names.filter(({ is_long: isLong }) => isLong);
  return [
    ['members', rowsOf(plan.members.map(memberRow))],
    [
      'names',
      rowsOf(
        plan.names.map(({ name, member, own_name: own, hidden }) => [
          name,
          `${member}/${own}`,
          hidden === undefined ? '' : `hidden: ${hidden}`,
        ]),
      ),
    ],
    [
      'conflicts',
      plan.conflicts.map(
        ({ name, tools: [one, other], resolution }) =>
          `${one} and ${other} have the name ${name}; both are hidden. ${resolution}`,
      ),
    ],
    [
      'long names',
      long.map(({ name }) => `${name} has ${name.length} characters; some clients refuse more than 60`),
    ],
    ['list', listLines(plan)],
    ...plan.members.map(({ name, plan: server }): Section => [`member ${name}`, serverLines(server)]),
  ];
}

/** Sections about the server of a member that the text shows; the JSON output has all. */
const SHOWN: readonly string[] = ['mounts', 'network', 'secrets', 'headers', 'missing', 'grants'];

/** Returns what the server of a member may reach and what it gets; nothing for a workload. */
function serverLines(plan: PlannedMember['plan']): readonly string[] {
  if (plan === undefined) return [];
  return effectsOf(plan)
    .filter(([title]) => SHOWN.includes(title))
    .flatMap(([title, lines]) => lines.map((line) => `${title}: ${line}`));
}

function memberRow(member: PlannedMember): readonly string[] {
  const { name, kind, target, resolved, tools, tools_from: from } = member;
  const count = tools === undefined ? '' : `${tools} ${tools === 1 ? 'tool' : 'tools'}, `;
  const known = from === undefined ? 'tools are unknown' : `${count}${ORIGINS[from]}`;
  return [name, `${kind} ${target}`, resolved, known];
}

function listLines({ list }: PlannedVirtualServer): readonly string[] {
  const { tools, tokens, unknown, has_search: hasSearch } = list;
  const search = hasSearch === undefined ? 'unknown, because some tools are' : hasSearch ? 'on' : 'off';
  return [
    `${tools} known ${tools === 1 ? 'tool' : 'tools'}; those of running workloads are about ${tokens} tokens`,
    ...(unknown.length === 0 ? [] : [`not in the tokens: ${unknown.join(', ')}`]),
    `tool search: ${search}`,
  ];
}

function rowsOf(rows: readonly (readonly string[])[]): readonly string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const head = first.map(() => '');
  return formatTable(head, rows).split('\n').slice(1);
}
