import type { EntityJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';

export function namedTools(
  policies: readonly PolicyJson[],
  entities: Iterable<EntityJson>,
): readonly string[] {
  const names = new Set<string>();
  const open: unknown[] = [...policies, ...[...entities].map(({ uid }) => uid)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as readonly unknown[]));
    if (!isJsonObject(next)) continue;
    if (next['type'] === 'Tool' && typeof next['id'] === 'string') names.add(next['id']);
    open.push(...Object.values(next).filter((value) => typeof value === 'object' && value !== null));
  }
  return [...names].toSorted();
}
