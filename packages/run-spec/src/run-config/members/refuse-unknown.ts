import { nearest } from '@portolan/plugin-api';
import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import type { JsonMembers } from '../../document/json-members.ts';

/** Known keys of a map, and the problem of keys that belong elsewhere. */
export interface KnownKeys {
  readonly known: readonly string[];
  /** Returns what was expected of a key that belongs elsewhere; undefined for an unknown key. */
  readonly otherwise?: (key: string) => string | undefined;
}

/** Adds a problem for each unknown key, with the known key of a similar name. */
export function refuseUnknown(
  fields: FieldReader,
  map: JsonMembers,
  at: string,
  { known, otherwise }: KnownKeys,
): void {
  for (const key of Object.keys(map)) {
    if (known.includes(key)) continue;
    const place = pathOf(at, key);
    const elsewhere = otherwise?.(key);
    if (elsewhere !== undefined) {
      fields.problems.push(`${place}: found a key that does not belong here; ${elsewhere}`);
      continue;
    }
    const near = nearest(key, known);
    const meant = near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`;
    fields.problems.push(`${place}: found an unknown key; ${meant}`);
  }
}
