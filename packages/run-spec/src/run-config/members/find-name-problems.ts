import { pathOf } from '../../document/field-reader.ts';
import {
  exposedNameOf,
  findNameFault,
  ownNamesOf,
  isListed,
  SEARCH_TOOLS,
} from '../../members/exposed-name.ts';
import { type Claim, findSettledConflicts } from '../../members/find-conflicts.ts';
import { type Members, type SearchFields, searchSettingsOf } from '../../members/member.ts';

/** Names of a virtual server as its settings state them. `at` is the path of the members. */
export interface SettledNames {
  readonly members: Members;
  readonly search: SearchFields | undefined;
}

/**
 * Returns every problem with exposed names that the settings alone show: conflicts, invalid names, and names
 * that the tool search reserves.
 */
export function findNameProblems(names: SettledNames): readonly string[] {
  const { members, search } = names;
  const conflicts = findSettledConflicts(members);
  return [
    ...findInvalidNames(members),
    ...conflicts.names.map(
      ({ name, one, other }) =>
        `members: found ${show(one)} and ${show(other)} with the name ${JSON.stringify(name)}; expected another name by override`,
    ),
    ...conflicts.prefixes.map(
      ({ prefix, one, other }) =>
        `members: found ${one} and ${other} with the prefix ${JSON.stringify(prefix)}; expected another prefix, or tools in both`,
    ),
    ...findReservedNames(members, search),
    ...findAbsentNames(members, search),
  ];
}

/** Returns the search without the names that stay listed: members of a group may expose them. */
export function withoutNames(search: SearchFields | undefined): SearchFields | undefined {
  return search === undefined ? undefined : { ...search, always: [] };
}

function show({ member, ownName }: Claim): string {
  return `${member}/${ownName}`;
}

function findInvalidNames(members: Members): readonly string[] {
  return Object.entries(members).flatMap(([member, settings]) =>
    (settings.tools ?? []).flatMap((ownName, index) => {
      // The reader of overrides reports the names in them.
      if (Object.hasOwn(settings.override ?? {}, ownName)) return [];
      const name = exposedNameOf({ member, settings }, ownName);
      const fault = findNameFault(name);
      const place = `${pathOf(pathOf('members', member), 'tools')}[${index}]`;
      return fault === undefined
        ? []
        : [`${place}: clients do not see the name ${JSON.stringify(name.slice(0, 150))}: ${fault}`];
    }),
  );
}

function findReservedNames(members: Members, search: SearchFields | undefined): readonly string[] {
  if (searchSettingsOf(search).mode === 'off') return [];
  return Object.entries(members).flatMap(([member, settings]) =>
    SEARCH_TOOLS.flatMap((reserved) =>
      ownNamesOf({ member, settings }, reserved)
        .filter((ownName) => isNamed(ownName, settings))
        .map(
          (ownName) =>
            `${pathOf('members', member)}: found ${show({ member, ownName })} with the name ${reserved}, which the tool search has; expected another name by override`,
        ),
    ),
  );
}

/** Returns whether the settings name a tool, so that it is not only possible. */
function isNamed(ownName: string, { tools, override }: Members[string]): boolean {
  return tools?.includes(ownName) === true || Object.hasOwn(override ?? {}, ownName);
}

function findAbsentNames(members: Members, search: SearchFields | undefined): readonly string[] {
  const all = Object.entries(members);
  if (all.length === 0) return [];
  return (search?.always ?? []).flatMap((name, index) => {
    const isPossible = all.some(([member, settings]) =>
      ownNamesOf({ member, settings }, name).some((ownName) => isListed(settings, ownName)),
    );
    const isReported = findNameFault(name) !== undefined || SEARCH_TOOLS.some((tool) => tool === name);
    return isPossible || isReported
      ? []
      : [
          `search.always[${index}]: found ${JSON.stringify(name)}; expected a name that a member of the file exposes`,
        ];
  });
}
