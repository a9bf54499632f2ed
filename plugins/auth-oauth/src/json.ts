export { isJsonObject } from '@portolan/plugin-api';
export type JsonObject = Readonly<Record<string, unknown>>;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Freezes a JSON value and everything in it, at any depth. */
export function freezeJson<Value extends object>(value: Value): Readonly<Value> {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const inner of Object.values(next)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return value;
}
