import type { NameSettings } from './member.ts';

/** Maximum length of an exposed name. */
export const MAX_EXPOSED_NAME_LENGTH = 128;

/** Length of a name above which some clients refuse the tool. */
export const PORTABLE_NAME_LENGTH = 60;

/** Names of the tools with which a client searches for tools. */
export const SEARCH_TOOLS = ['find_tool', 'call_tool'] as const;

const NAME = /^[A-Za-z0-9_.-]+$/;
const SEPARATOR = /[_.-]$/;

export interface NamedMember {
  readonly member: string;
  readonly settings: NameSettings;
}

/**
 * Returns the name that clients see for a tool or prompt of a member. It depends on the member alone, never on
 * other members. The result may break the rules of names: see `findNameFault`.
 */
export function exposedNameOf({ member, settings }: NamedMember, ownName: string): string {
  return overrideOf(settings, ownName)?.name ?? `${prefixOf({ member, settings })}${ownName}`;
}

/**
 * Returns the text in front of own names. `_` follows the name of the member, and a prefix that does not end
 * with `_`, `.` or `-`.
 */
export function prefixOf({ member, settings: { prefix } }: NamedMember): string {
  if (prefix === false) return '';
  if (prefix === undefined) return `${member}_`;
  return SEPARATOR.test(prefix) ? prefix : `${prefix}_`;
}

/**
 * Returns the own names that a member exposes under a name, without regard to which of them exist: at most one
 * by the prefix, and those whose override has the name.
 */
export function ownNamesOf({ member, settings }: NamedMember, exposedName: string): readonly string[] {
  const renamed = Object.entries(settings.override ?? {})
    .filter(([, { name }]) => name === exposedName)
    .map(([own]) => own);
  const prefix = prefixOf({ member, settings });
  if (!exposedName.startsWith(prefix) || exposedName.length === prefix.length) return renamed;
  const own = exposedName.slice(prefix.length);
  return overrideOf(settings, own)?.name === undefined ? [own, ...renamed] : renamed;
}

/** Returns why a name cannot be exposed; undefined for a valid name. */
export function findNameFault(name: string): string | undefined {
  if (name.length > MAX_EXPOSED_NAME_LENGTH) {
    return `it has ${name.length} characters; at most ${MAX_EXPOSED_NAME_LENGTH} are possible`;
  }
  return NAME.test(name) ? undefined : 'it has other characters than A-Z, a-z, 0-9, "_", "." and "-"';
}

/** Returns whether clients see a tool, as far as the member's list of tools decides it. */
export function isListed({ tools }: NameSettings, ownName: string): boolean {
  return tools === undefined || tools.includes(ownName);
}

/** Returns the size of a list in tokens: the length of its JSON, divided by four. */
export function tokensOf(list: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(list).length / 4);
}

function overrideOf({ override }: NameSettings, ownName: string): { readonly name?: string } | undefined {
  return override !== undefined && Object.hasOwn(override, ownName) ? override[ownName] : undefined;
}
