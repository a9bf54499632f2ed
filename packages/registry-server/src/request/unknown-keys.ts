import type { JsonObject } from '@portolan/plugin-api';

/** Returns one sentence per unknown key. Each names `expected`, which defaults to `known`. */
export function unknownKeys(
  body: JsonObject,
  known: readonly string[],
  expected: readonly string[] = known,
): readonly string[] {
  return Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => `${JSON.stringify(key.slice(0, 64))} is unknown; expected ${expected.join(', ')}.`);
}
