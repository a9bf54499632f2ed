import type { JsonObject } from './entry.ts';

/**
 * Returns whether a value is a JSON object: not null and not a list. Test members with `Object.hasOwn`,
 * because inherited properties are not members.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a member of a JSON object. Ignores inherited properties, so that `constructor` and `__proto__` have
 * no special meaning.
 */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Returns a member of a JSON object. Returns undefined when another member's name differs only in case,
 * because a case-insensitive reader could confuse the two members.
 */
export function soleMemberOf(value: unknown, key: string): unknown {
  const member = memberOf(value, key);
  if (member === undefined || !isJsonObject(value)) return undefined;
  const hasRival = Object.keys(value).some(
    (name) => name.length === key.length && name !== key && fold(name) === fold(key),
  );
  return hasRival ? undefined : member;
}

/**
 * Converts a name to upper and then to lower case. Both are needed: the long s equals S only in upper case,
 * and the Kelvin sign equals k only in lower case.
 */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
