import { isJsonObject, memberOf } from '@portolan/plugin-api';
export { isJsonObject, memberOf } from '@portolan/plugin-api';

/** A JSON object without a prototype, so that `constructor` and `__proto__` mean nothing special in it. */
export type JsonMembers = { readonly [key: string]: unknown };

/** The own members of an object, in a map that inherits none. */
export function ownMembers(value: object): JsonMembers {
  // Without a prototype `__proto__` is a key like any other.
  const members = Object.create(null) as { [key: string]: unknown };
  for (const [key, member] of Object.entries(value)) members[key] = member;
  return members;
}

/** A member that is a text, and not empty. */
export function textMember(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** The objects in a member that is a list. */
export function objectsIn(value: unknown, key: string): readonly JsonMembers[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.filter(isJsonObject) : [];
}

/** The texts in a member that is a list. */
export function textsIn(value: unknown, key: string): readonly string[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.filter((item) => typeof item === 'string') : [];
}
