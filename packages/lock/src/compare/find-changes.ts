import { isJsonObject } from '@portolan/plugin-api';
import type { ChangeClass, FieldChange } from './difference.ts';
import { isSameValue } from './is-same.ts';

/** Returns the JSON pointer of a member: `/a~1b` for the member `a/b` of the root. */
export function pointerTo(at: string, name: string | number): string {
  return `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Names of the members that at least one of two objects has. */
export function unionOfNames(before: object, after: object): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** Returns a member of an object, or undefined. Ignores inherited properties. */
export function ownMember(record: object, name: string): unknown {
  // SAFETY: the property is the record's own, and its value is unknown.
  return Object.hasOwn(record, name) ? (record as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Returns the deepest fields in which two JSON values differ, each with the given class. */
export function findChanges(
  at: string,
  before: unknown,
  after: unknown,
  cls: ChangeClass,
): readonly FieldChange[] {
  if (isSameValue(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      findChanges(pointerTo(at, index), before[index], after[index], cls),
    ).flat();
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ pointer: at, class: cls }];
  return unionOfNames(before, after).flatMap((name) =>
    findChanges(pointerTo(at, name), ownMember(before, name), ownMember(after, name), cls),
  );
}
