import type { EntityJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import { uidOf } from '../engine/known-entities.ts';

/**
 * Returns the ids of groups that policies name. Other groups, of which a caller can have thousands, affect no
 * decision. Returns undefined if the right side of `in` is variable, as in `principal in resource`.
 */
export function usedIds(
  policies: readonly PolicyJson[],
  entities: Iterable<EntityJson>,
): ReadonlySet<string> | undefined {
  const ids = new Set<string>();
  const open: unknown[] = [...policies, ...entities];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as readonly unknown[]));
    if (!isJsonObject(next)) continue;
    // An older notation writes an entity as text.
    if (Object.hasOwn(next, '__expr') || isInSomething(next)) return undefined;
    if (typeof next['id'] === 'string') ids.add(next['id']);
    // Strings contain no entities, so skip them.
    open.push(...Object.values(next).filter((value) => typeof value === 'object' && value !== null));
  }
  return ids;
}

export function withUsedParents(used: ReadonlySet<string> | undefined, entity: EntityJson): EntityJson {
  if (used === undefined) return entity;
  return { ...entity, parents: entity.parents.filter((parent) => used.has(uidOf(parent).id)) };
}

/** Returns whether the right side of `in` is anything other than literal entities. */
function isInSomething(expr: Readonly<Record<string, unknown>>): boolean {
  const { in: contained, is: typed } = expr;
  const right = isJsonObject(contained) && Object.hasOwn(contained, 'right') ? contained['right'] : undefined;
  const within = isJsonObject(typed) ? typed['in'] : undefined;
  return [right, within].some((side) => side !== undefined && !isWritten(side));
}

function isWritten(expr: unknown): boolean {
  if (!isJsonObject(expr)) return false;
  const { Set: items } = expr;
  return Object.hasOwn(expr, 'Value') || (Array.isArray(items) && items.every(isWritten));
}
