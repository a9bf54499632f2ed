import { pointerTo } from '@portolan/entry-format';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import { digestValue } from '../digest/definition-digest.ts';
import type { FieldChange } from './difference.ts';
import { findChanges, unionOfNames } from './find-changes.ts';
import { isSameValue } from './is-same.ts';

/** Keywords whose values are lists without an order. */
const UNORDERED = ['required', 'type'];
/** Keywords whose value is a schema. A narrower schema in one of them makes the whole schema narrower. */
const SCHEMA = ['items', 'additionalProperties', 'contains'];
/** Keywords whose value is a list of schemas, with the same effect. */
const SCHEMA_LISTS = ['prefixItems', 'allOf', 'anyOf'];
/** Keywords whose value is an object of schemas, with the same effect. */
const SCHEMA_MAPS = ['properties', 'patternProperties'];

interface Position {
  readonly at: string;
  /** Whether a narrower schema is a note: of an input schema, not of an output schema. */
  readonly isInput: boolean;
  /** Whether properties of the schema are the parameters of the tool. */
  readonly isRoot: boolean;
}

/**
 * Returns the fields in which two JSON schemas differ. In an input schema, a narrowed enum and a removed
 * optional parameter are notes. The order of `required`, `type` and `enum` has no meaning.
 */
export function findSchemaChanges(
  before: unknown,
  after: unknown,
  { at, isInput, isRoot }: Position,
): readonly FieldChange[] {
  if (isSameValue(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ pointer: at, class: 'held' }];
  return unionOfNames(before, after).flatMap((keyword): readonly FieldChange[] => {
    const [old, now] = [memberOf(before, keyword), memberOf(after, keyword)];
    const pointer = pointerTo(at, keyword);
    if (isSameValue(old, now)) return [];
    if (keyword === 'enum') return findEnumChanges(old, now, { at: pointer, isInput });
    if (UNORDERED.includes(keyword)) return [{ pointer, class: isPermutation(old, now) ? 'none' : 'held' }];
    const inner = { at: pointer, isInput, isRoot: false };
    if (SCHEMA.includes(keyword) && old !== undefined && now !== undefined)
      return findSchemaChanges(old, now, inner);
    if (SCHEMA_LISTS.includes(keyword) && Array.isArray(old) && Array.isArray(now))
      return findListChanges(old, now, inner);
    if (SCHEMA_MAPS.includes(keyword) && isJsonObject(old) && isJsonObject(now)) {
      const optional =
        isRoot && isInput && keyword === 'properties' ? optionalIn(before, after) : () => false;
      return unionOfNames(old, now).flatMap((name) =>
        findPropertyChanges(old, now, { name, optional, inner }),
      );
    }
    return findChanges(pointer, old, now, 'held');
  });
}

function findListChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  inner: Position,
): readonly FieldChange[] {
  if (before.length !== after.length) return findChanges(inner.at, before, after, 'held');
  return before.flatMap((one, index) =>
    findSchemaChanges(one, after[index], { ...inner, at: pointerTo(inner.at, index) }),
  );
}

function findPropertyChanges(
  before: object,
  after: object,
  {
    name,
    optional,
    inner,
  }: {
    readonly name: string;
    readonly optional: (name: string) => boolean;
    readonly inner: Position;
  },
): readonly FieldChange[] {
  const pointer = pointerTo(inner.at, name);
  const [old, now] = [memberOf(before, name), memberOf(after, name)];
  if (old === undefined) return [{ pointer, class: 'held' }];
  if (now === undefined) return [{ pointer, class: optional(name) ? 'note' : 'held' }];
  return findSchemaChanges(old, now, { ...inner, at: pointer });
}

/** Returns whether neither schema requires a property. */
function optionalIn(before: object, after: object): (name: string) => boolean {
  const lists = [memberOf(before, 'required'), memberOf(after, 'required')];
  if (lists.some((names) => names !== undefined && !Array.isArray(names))) return () => false;
  const required = new Set(lists.flat());
  return (name) => !required.has(name);
}

function findEnumChanges(
  before: unknown,
  after: unknown,
  { at, isInput }: { readonly at: string; readonly isInput: boolean },
): readonly FieldChange[] {
  if (isPermutation(before, after)) return [{ pointer: at, class: 'none' }];
  const isNarrowed = Array.isArray(before) && Array.isArray(after) && isPartOf(after, before);
  return [{ pointer: at, class: isNarrowed && isInput ? 'note' : 'held' }];
}

/** Returns whether a list has some of the values of another one, each at most as often. */
function isPartOf(part: readonly unknown[], whole: readonly unknown[]): boolean {
  const counts = new Map<string | undefined, number>();
  for (const value of whole) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return (
    part.length > 0 &&
    part.every((value) => {
      const key = keyOf(value);
      const count = counts.get(key) ?? 0;
      counts.set(key, count - 1);
      return key !== undefined && count > 0;
    })
  );
}

function isPermutation(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  return before.length === after.length && isPartOf(after, before);
}

function keyOf(value: unknown): string | undefined {
  const result = digestValue(value);
  return 'fault' in result ? undefined : result.json;
}
