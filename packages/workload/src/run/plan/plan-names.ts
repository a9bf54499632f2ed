import { nearest } from '@portolan/plugin-api';
import {
  exposedNameOf,
  findConflicts,
  findNameFault,
  isListed,
  type Member,
  PORTABLE_NAME_LENGTH,
  resolutionOf,
  SEARCH_TOOLS,
  type SearchFields,
  searchSettingsOf,
  tokensOf,
} from '@portolan/run-spec';
import type { PlannedMember } from '../run-plan.ts';
import type { ListedTool, PlannedConflict, PlannedList, PlannedName } from './planned-members.ts';

/** Member with the tools that are known of it. */
export interface MemberTools {
  readonly name: string;
  readonly settings: Member;
  readonly from: PlannedMember['tools_from'];
  /** Tools in the order of the server's list. */
  readonly tools: readonly ListedTool[];
}

export interface PlannedNames {
  readonly names: readonly PlannedName[];
  readonly conflicts: readonly PlannedConflict[];
  readonly list: PlannedList;
  readonly warnings: readonly string[];
}

/** Returns the names that clients would see, conflicts between them, and the size of the list. Pure. */
export function planNames(members: readonly MemberTools[], search: SearchFields | undefined): PlannedNames {
  const settings = searchSettingsOf(search);
  const conflicts = findConflicts(
    members.map(({ name: member, settings: own, tools }) => ({
      member,
      settings: own,
      ownNames: tools.map(({ name }) => name),
    })),
  );
  const taken = new Set(conflicts.map(({ name }) => name));
  const reserved = settings.mode === 'off' ? [] : SEARCH_TOOLS;
  let count = 0;
  const described: object[] = [];
  const names = members.flatMap(({ name: member, settings: own, from, tools }) =>
    tools
      .filter((tool) => isListed(own, tool.name))
      .map((tool): PlannedName => {
        const name = exposedNameOf({ member, settings: own }, tool.name);
        const hidden = whyHidden(name, taken, reserved);
        if (hidden === undefined) {
          count += 1;
          if (from === 'workload') described.push(renderTool(tool, name, own));
        }
        return {
          name,
          member,
          own_name: tool.name,
          hidden,
          is_long: name.length > PORTABLE_NAME_LENGTH,
        };
      }),
  );
  const unknown = members.filter(({ from }) => from !== 'workload').map(({ name }) => name);
  const tokens = described.length === 0 ? 0 : tokensOf(described);
  const list = {
    tools: count,
    tokens,
    unknown,
    has_search: hasSearch(settings, tokens, unknown.length === 0),
  };
  return {
    names,
    conflicts: conflicts.map((conflict) => ({
      name: conflict.name,
      tools: [pathOf(conflict.one), pathOf(conflict.other)],
      resolution: resolutionOf(conflict),
    })),
    list,
    warnings: members.flatMap(findAbsent),
  };
}

function whyHidden(
  name: string,
  conflicts: ReadonlySet<string>,
  reserved: readonly string[],
): string | undefined {
  if (conflicts.has(name)) return 'another tool has the same name';
  if (reserved.includes(name)) return 'the tool search has this name';
  return findNameFault(name);
}

function renderTool(tool: ListedTool, name: string, { override }: Member): object {
  const own = override !== undefined && Object.hasOwn(override, tool.name) ? override[tool.name] : undefined;
  return { ...tool, name, ...(own?.description === undefined ? {} : { description: own.description }) };
}

function hasSearch(
  { mode, aboveTokens }: ReturnType<typeof searchSettingsOf>,
  tokens: number,
  isWhole: boolean,
): boolean | undefined {
  if (mode !== 'auto') return mode === 'always';
  if (tokens > aboveTokens) return true;
  return isWhole ? false : undefined;
}

/** Returns a warning for each tool that the settings of a member name and the member does not list. */
function findAbsent({ name, settings, from, tools }: MemberTools): readonly string[] {
  if (from === undefined || from === 'file') return [];
  const listed = tools.map((tool) => tool.name);
  const named = [...new Set([...(settings.tools ?? []), ...Object.keys(settings.override ?? {})])];
  return named
    .filter((tool) => !listed.includes(tool))
    .map((tool) => {
      const near = nearest(tool, listed);
      const meant = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
      return `member ${name}: the settings name the tool ${JSON.stringify(tool)}, which it does not list${meant}`;
    });
}

function pathOf({ member, ownName }: { readonly member: string; readonly ownName: string }): string {
  return `${member}/${ownName}`;
}
