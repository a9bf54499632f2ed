import { pointerTo } from '@portolan/entry-format';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import { type FieldChange, type ListKind, maxClass, type ChangeClass } from './difference.ts';
import { findChanges, unionOfNames } from './find-changes.ts';
import { isSameValue } from './is-same.ts';
import { findSchemaChanges } from './schema-changes.ts';

/** Maximum number of fields of one difference. A definition can have a million fields. */
const MAX_FIELDS = 100;

const ICON_MEMBERS = ['src', 'mimeType', 'sizes', 'theme'];

/** Changed fields of an item, and the highest class of all of them. */
export interface ItemChanges {
  readonly fields: readonly FieldChange[];
  readonly class: ChangeClass;
}

/** Returns the fields in which two definitions of an item differ, each with its class. */
export function findItemChanges(kind: ListKind, before: unknown, after: unknown): ItemChanges {
  return limitFields(findFields(kind, before, after));
}

/** Sorts fields, limits their number and returns the highest class. */
export function limitFields(all: readonly FieldChange[]): ItemChanges {
  const highest = all.reduce<ChangeClass>((result, field) => maxClass(result, field.class), 'none');
  const fields = all.toSorted((left, right) => (left.pointer < right.pointer ? -1 : 1));
  return { fields: fields.slice(0, MAX_FIELDS), class: highest };
}

function findFields(kind: ListKind, before: unknown, after: unknown): readonly FieldChange[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return findChanges('', before, after, 'held');
  return unionOfNames(before, after).flatMap((name): readonly FieldChange[] => {
    const [old, now] = [memberOf(before, name), memberOf(after, name)];
    const at = pointerTo('', name);
    if (isSameValue(old, now)) return [];
    if (name === 'icons' && isIconList(old) && isIconList(now)) return findChanges(at, old, now, 'note');
    if (kind === 'tool' && name === 'inputSchema')
      return findSchemaChanges(old, now, { at, isInput: true, isRoot: true });
    if (kind === 'tool' && name === 'outputSchema')
      return findSchemaChanges(old, now, { at, isInput: false, isRoot: true });
    if (kind === 'prompt' && name === 'arguments') return findArgumentChanges(at, old, now);
    return findChanges(at, old, now, 'held');
  });
}

/** Returns whether a value has icons only, or is absent. Other members could carry text for the model. */
function isIconList(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    Array.isArray(value) &&
    value.every(
      (icon: unknown) => isJsonObject(icon) && Object.keys(icon).every((name) => ICON_MEMBERS.includes(name)),
    )
  );
}

/** Returns the changes of the arguments of a prompt. The removal of optional arguments alone is a note. */
function findArgumentChanges(at: string, before: unknown, after: unknown): readonly FieldChange[] {
  const rest = after === undefined ? [] : after;
  if (Array.isArray(before) && Array.isArray(rest)) {
    const removed: FieldChange[] = [];
    let next = 0;
    for (const [index, argument] of before.entries()) {
      if (next < rest.length && isSameValue(argument, rest[next])) next += 1;
      else if (isOptional(argument)) removed.push({ pointer: pointerTo(at, index), class: 'note' });
      else return findChanges(at, before, after, 'held');
    }
    if (next === rest.length && removed.length > 0) return removed;
  }
  return findChanges(at, before, after, 'held');
}

function isOptional(argument: unknown): boolean {
  if (!isJsonObject(argument)) return false;
  const required = memberOf(argument, 'required');
  return required === undefined || required === false;
}
