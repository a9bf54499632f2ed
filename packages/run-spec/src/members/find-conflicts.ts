import { exposedNameOf, isListed, type NamedMember, prefixOf } from './exposed-name.ts';
import { kindOfMember, type Members } from './member.ts';

/** Tool or prompt of a member. */
export interface Claim {
  readonly member: string;
  readonly ownName: string;
}

/** Two tools, or two prompts, that have the same exposed name. */
export interface NameConflict {
  readonly name: string;
  readonly one: Claim;
  readonly other: Claim;
}

export interface ListedMember extends NamedMember {
  /** Own names of the tools, or of the prompts, that the member has listed. */
  readonly ownNames: readonly string[];
}

/** Returns every pair with the same exposed name, in the order of the members. Both of a pair are hidden. */
export function findConflicts(members: readonly ListedMember[]): readonly NameConflict[] {
  return [...claimsByName(members)].flatMap(([name, claims]) => pairsOf(name, claims));
}

function claimsByName(members: readonly ListedMember[]): ReadonlyMap<string, readonly Claim[]> {
  const claims = members.flatMap(({ member, settings, ownNames }) =>
    [...new Set(ownNames)]
      .filter((ownName) => isListed(settings, ownName))
      .map((ownName) => ({ name: exposedNameOf({ member, settings }, ownName), member, ownName })),
  );
  const byName = Map.groupBy(claims, ({ name }) => name);
  return new Map(
    [...byName].map(([name, all]) => [name, all.map(({ member, ownName }) => ({ member, ownName }))]),
  );
}

function pairsOf(name: string, claims: readonly Claim[]): readonly NameConflict[] {
  return claims.flatMap((one, index) => claims.slice(index + 1).map((other) => ({ name, one, other })));
}

/** Two members whose tools have the same text in front. */
export interface PrefixConflict {
  readonly prefix: string;
  readonly one: string;
  readonly other: string;
}

/** Conflicts that the settings show, without the lists of the members. */
export interface SettledConflicts {
  readonly names: readonly NameConflict[];
  readonly prefixes: readonly PrefixConflict[];
}

/**
 * Returns the conflicts that the settings of the members show: equal names of tools that `tools` or `override`
 * names, and equal prefixes of two members. Members that name all of their tools may share a prefix.
 */
export function findSettledConflicts(members: Members): SettledConflicts {
  const all = Object.entries(members).map(([member, settings]) => ({ member, settings }));
  const named = all.map((one) => ({ ...one, ownNames: settledNames(one) }));
  const prefixed = Map.groupBy(
    all.filter(({ settings }) => settings.prefix !== false),
    prefixOf,
  );
  return {
    names: findConflicts(named),
    prefixes: [...prefixed].flatMap(([prefix, sharers]) =>
      sharers.flatMap((one, index) =>
        sharers
          .slice(index + 1)
          .filter(({ settings }) => one.settings.tools === undefined || settings.tools === undefined)
          .map((other) => ({ prefix, one: one.member, other: other.member })),
      ),
    ),
  };
}

function settledNames({ settings: { tools, override } }: NamedMember): readonly string[] {
  const renamed = Object.entries(override ?? {}).filter(([, { name }]) => name !== undefined);
  return [...(tools ?? []), ...renamed.map(([ownName]) => ownName)];
}

/** Returns the override that resolves a conflict, as a sentence for the user. */
export function resolutionOf({ name, other }: NameConflict): string {
  const { member, ownName } = other;
  return `Set another name for one of them, such as members.${member}.override: { ${JSON.stringify(ownName)}: { name: ${JSON.stringify(`${name}_2`)} } }.`;
}

/** Returns the names of the workloads that members refer to. */
export function workloadsOf(members: Members): readonly string[] {
  return Object.values(members).flatMap((member) =>
    kindOfMember(member) === 'workload' ? [member.workload ?? ''] : [],
  );
}
