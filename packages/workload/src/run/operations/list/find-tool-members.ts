import path from 'node:path';
import { exposedNameOf, isVirtualServer, ownNamesOf } from '@portolan/run-spec';
import { readListedTools } from '../../../state/listed-tools.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { membersOf } from './describe-members.ts';

/** Member and own name of an exposed name of a virtual server. */
export interface ToolMember {
  readonly member: string;
  readonly ownName: string;
}

/**
 * Returns the member of each tool of a virtual server, by exposed name. Uses the list that the supervisor
 * recorded, and else the names that only one member can have. Undefined for another workload.
 */
export async function findToolMembers(
  name: string,
  exposed: readonly string[],
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
): Promise<ReadonlyMap<string, ToolMember> | undefined> {
  const stored = await store.find(name);
  if (stored?.config === undefined || !isVirtualServer(stored.config)) return undefined;
  const members = membersOf(stored.config, Object.keys(stored.state?.members ?? {}));
  const all = Object.entries(members).map(([member, settings]) => ({ member, settings }));
  const recorded = await readListedTools(path.join(directories.policies, name));
  const known = new Map<string, ToolMember>();
  for (const one of recorded ?? []) {
    const tool = splitName(one);
    const named = all.find(({ member }) => member === tool?.member);
    if (tool !== undefined && named !== undefined) known.set(exposedNameOf(named, tool.ownName), tool);
  }
  const found = exposed.flatMap((tool): (readonly [string, ToolMember])[] => {
    const match = recorded === undefined ? onlyMatch(all, tool) : known.get(tool);
    return match === undefined ? [] : [[tool, match]];
  });
  return new Map(found);
}

type NamedMembers = readonly Parameters<typeof ownNamesOf>[0][];

function onlyMatch(members: NamedMembers, tool: string): ToolMember | undefined {
  const [match, ...others] = members.flatMap((named) =>
    ownNamesOf(named, tool).map((ownName) => ({ member: named.member, ownName })),
  );
  return others.length === 0 ? match : undefined;
}

function splitName(name: string): ToolMember | undefined {
  const end = name.indexOf('/');
  return end < 1 ? undefined : { member: name.slice(0, end), ownName: name.slice(end + 1) };
}
