import { pointerTo } from '@portolan/entry-format';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import type { ChangeClass, FieldChange } from './difference.ts';
import { isSameValue } from './is-same.ts';

/** Names of the members that at least one of two objects has. */
export function unionOfNames(before: object, after: object): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
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
    findChanges(pointerTo(at, name), memberOf(before, name), memberOf(after, name), cls),
  );
}
