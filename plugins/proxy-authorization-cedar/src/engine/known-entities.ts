import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import { CEDAR } from './cedar-engine.ts';

/** Entities that every decision knows, by their names. */
export type KnownEntities = ReadonlyMap<string, EntityJson>;

/** The entities of a text; a sentence about its fault where there are none in it. */
export function readEntities(text: string): KnownEntities | string {
  if (text.trim() === '') return new Map();
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return `text that is no JSON (${error instanceof Error ? error.message : 'unreadable'})`;
  }
  if (!Array.isArray(list)) return 'something else than a list';
  const entities: unknown[] = list.map((item: unknown) =>
    // As the reference reads them, which lets both be left out.
    isJsonObject(item) ? { attrs: {}, parents: [], ...item } : item,
  );
  try {
    // SAFETY: what is not of this form is what is looked for.
    const answer = CEDAR.use((cedar) => cedar.checkParseEntities({ entities: entities as EntityJson[] }));
    if (answer.type === 'failure') return answer.errors[0]?.message ?? 'something that are no entities';
  } catch (error) {
    return error instanceof Error ? error.message : 'something that are no entities';
  }
  // SAFETY: Cedar has just read them.
  const checked = entities as readonly EntityJson[];
  return new Map(checked.map((entity) => [nameOf(entity.uid), entity]));
}

/** `Tool::"forecast"`, the same for both ways to write it. */
export function nameOf(uid: EntityJson['uid']): string {
  const { type, id } = uidOf(uid);
  return `${type}::${JSON.stringify(id)}`;
}

export function uidOf(uid: EntityJson['uid']): TypeAndId {
  return '__entity' in uid ? uid['__entity'] : uid;
}

/** All that the given ones are in, themselves included, as Cedar understands `in`. */
export function ancestorsOf(known: KnownEntities, of: EntityJson): ReadonlySet<string> {
  const found = new Set([nameOf(of.uid)]);
  const open = [...of.parents];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const name = nameOf(next);
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(known.get(name)?.parents ?? []));
  }
  return found;
}
