import type { JsonObject } from './entry.ts';

/** Whether a value is a JSON object: not null, no list. What it inherits is no member: ask with `Object.hasOwn`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, so that `constructor` and `__proto__` mean nothing special; undefined when absent. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
