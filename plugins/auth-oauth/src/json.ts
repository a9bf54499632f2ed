export { isJsonObject } from '@portolan/plugin-api';
/** A JSON object of somebody else. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is a text with something in it. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Freezes a JSON value with all that is in it, however deep that is. */
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
