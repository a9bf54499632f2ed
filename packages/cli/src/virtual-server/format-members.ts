import type { MemberDescription } from '@portolan/workload';
import { formatTable } from '../terminal/format/format-table.ts';
import { printable } from '../terminal/printable.ts';

const HEAD = ['member', 'status', 'tools', 'revision', 'server'];

/** Formats the members of a virtual server as a table, then what the user should know about them. */
export function formatMembers(members: readonly MemberDescription[]): readonly string[] {
  if (members.length === 0) return ['Members: none'];
  const rows = members.map(({ name, status, tools, revision, kind, target }) => [
    name,
    status,
    tools === undefined ? '-' : String(tools),
    revision ?? '-',
    `${kind} ${target}`,
  ]);
  return [...formatTable(HEAD, rows).split('\n'), ...members.flatMap(findingsOf)];
}

function findingsOf({ name, last_error: error, findings }: MemberDescription): readonly string[] {
  const lines = [...(error === undefined ? [] : [`last error: ${error}`]), ...findings];
  return lines.map((line) => printable(`${name}: ${line}`));
}
