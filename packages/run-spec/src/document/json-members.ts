import { isJsonObject, memberOf } from '@portolan/plugin-api';
export { isJsonObject, memberOf } from '@portolan/plugin-api';

/** A JSON object without a prototype, so that `constructor` and `__proto__` have no special meaning. */
export type JsonMembers = { readonly [key: string]: unknown };

export function ownMembers(value: object): JsonMembers {
  const members = Object.create(null) as { [key: string]: unknown };
  for (const [key, member] of Object.entries(value)) members[key] = member;
  return members;
}

/** Returns undefined for an empty string. */
export function textMember(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

export function objectsIn(value: unknown, key: string): readonly JsonMembers[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.filter(isJsonObject) : [];
}

export function textsIn(value: unknown, key: string): readonly string[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.filter((item) => typeof item === 'string') : [];
}
