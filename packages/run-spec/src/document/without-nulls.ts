import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from './json-members.ts';

/**
 * Removes null members, which other tools write for absent values and empty lists. Keeps null items of a
 * list.
 */
export function withoutNulls(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, without(member)]));
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  return isJsonObject(value) ? withoutNulls(value) : value;
}
