import type { MemberSettings } from '../options.ts';

const EXPOSED_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Returns whether clients accept the name (1 to 128 characters of `A-Za-z0-9_.-`). */
export function isExposedName(name: string): boolean {
  return EXPOSED_NAME.test(name);
}

/** Returns the name that clients see for a tool or prompt. It never depends on other members. */
export function exposedNameOf(member: string, own: string, settings: MemberSettings): string {
  const { prefix = member, override } = settings;
  const other = ownValue(override, own)?.name;
  if (other !== undefined) return other;
  return prefix === false ? own : `${prefix}_${own}`;
}

/**
 * Returns the own name that has this exposed name at the member. Undefined when no own name can have it.
 */
export function ownNameOf(member: string, exposed: string, settings: MemberSettings): string | undefined {
  const { prefix = member, override = {} } = settings;
  for (const [own, { name }] of Object.entries(override)) if (name === exposed) return own;
  const own = withoutPrefix(exposed, prefix);
  // A renamed tool no longer has its usual name.
  return own === undefined || ownValue(override, own)?.name !== undefined ? undefined : own;
}

/** Returns the name of a tool or prompt in the message path, which policies see. */
export function pathNameOf(member: string, own: string): string {
  return `${member}/${own}`;
}

/** Returns member and own name. Undefined for a text without a slash. */
export function splitPathName(name: string): { readonly member: string; readonly own: string } | undefined {
  const at = name.indexOf('/');
  return at < 1 ? undefined : { member: name.slice(0, at), own: name.slice(at + 1) };
}

function withoutPrefix(exposed: string, prefix: string | false): string | undefined {
  if (prefix === false) return exposed;
  const start = `${prefix}_`;
  return exposed.startsWith(start) && exposed.length > start.length ? exposed.slice(start.length) : undefined;
}

function ownValue<Value>(
  values: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
}
