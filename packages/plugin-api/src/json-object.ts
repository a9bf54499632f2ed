import type { JsonObject } from './entry.ts';

/** Whether a value is a JSON object: not null, no list. What it inherits is no member: ask with `Object.hasOwn`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, so that `constructor` and `__proto__` mean nothing special; undefined when absent. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * As memberOf, and undefined also where another name differs from it in capitals
 * only: who reads names without case could take the other member for this one.
 */
export function soleMemberOf(value: unknown, key: string): unknown {
  const member = memberOf(value, key);
  if (member === undefined || !isJsonObject(value)) return undefined;
  const hasRival = Object.keys(value).some(
    (name) => name.length === key.length && name !== key && fold(name) === fold(key),
  );
  return hasRival ? undefined : member;
}

/** Both ways: the long s is an S in capitals alone, the sign of Kelvin a k in small letters alone. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
