import type { JsonObject } from './entry.ts';

/**
 * Returns whether a value is a JSON object: not null and not a list. Test members with `Object.hasOwn`,
 * because inherited properties are not members.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own member, so that `constructor` and `__proto__` have no special meaning. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Returns undefined when another name differs only in case: a case-insensitive reader could confuse the two.
 */
export function soleMemberOf(value: unknown, key: string): unknown {
  const member = memberOf(value, key);
  if (member === undefined || !isJsonObject(value)) return undefined;
  const hasRival = Object.keys(value).some(
    (name) => name.length === key.length && name !== key && fold(name) === fold(key),
  );
  return hasRival ? undefined : member;
}

/** Both ways: the long s equals S only in upper case, and the Kelvin sign equals k only in lower case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
