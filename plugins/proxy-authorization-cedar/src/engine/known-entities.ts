import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import { CEDAR } from './cedar-engine.ts';

/** Entities from the configuration, by name, which every decision can use. */
export type KnownEntities = ReadonlyMap<string, EntityJson>;

/** Parses configured entities. Returns a string with the fault for invalid ones. */
export function readEntities(text: string): KnownEntities | string {
  if (text.trim() === '') return new Map();
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return `text that is not JSON (${error instanceof Error ? error.message : 'unreadable'})`;
  }
  if (!Array.isArray(list)) return 'something other than a list';
  const entities: unknown[] = list.map((item: unknown) =>
    // Both members may be missing, as in ToolHive.
    isJsonObject(item) ? { attrs: {}, parents: [], ...item } : item,
  );
  try {
    // SAFETY: Cedar checks the form.
    const result = CEDAR.use((cedar) => cedar.checkParseEntities({ entities: entities as EntityJson[] }));
    if (result.type === 'failure')
      return result.errors[0]?.message ?? 'something that is not a list of entities';
  } catch (error) {
    return error instanceof Error ? error.message : 'something that is not a list of entities';
  }
  // SAFETY: Cedar has just checked them.
  const checked = entities as readonly EntityJson[];
  return new Map(checked.map((entity) => [nameOf(entity.uid), entity]));
}

/** Returns the name `Tool::"forecast"` from both JSON notations of an entity. */
export function nameOf(uid: EntityJson['uid']): string {
  const { type, id } = uidOf(uid);
  return `${type}::${JSON.stringify(id)}`;
}

export function uidOf(uid: EntityJson['uid']): TypeAndId {
  return '__entity' in uid ? uid['__entity'] : uid;
}

/** Returns the ancestors of an entity, including the entity itself, as Cedar's `in` does. */
export function ancestorsOf(known: KnownEntities, of: EntityJson): ReadonlySet<string> {
  const matches = new Set([nameOf(of.uid)]);
  const open = [...of.parents];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const name = nameOf(next);
    if (matches.has(name)) continue;
    matches.add(name);
    open.push(...(known.get(name)?.parents ?? []));
  }
  return matches;
}
