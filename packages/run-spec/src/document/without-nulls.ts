import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from './json-members.ts';

/** The same without members that are null, at any depth: other tools write an empty list, and whatever is not there, so. What is null in a list stays. */
export function withoutNulls(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, without(member)]));
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  return isJsonObject(value) ? withoutNulls(value) : value;
}
