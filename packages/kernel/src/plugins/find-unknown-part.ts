import { oneOf } from '../faults/describe-value.ts';
import { nearest } from '@portolan/plugin-api';
import { isPlainMap } from '../config/plain-data.ts';

/**
 * Returns the fault of a plugin or kind with an unknown part, as the end of a sentence: a misspelt part would
 * be ignored. An instance of a class may have further fields.
 */
export function findUnknownPart(
  value: object,
  { what, parts }: { readonly what: string; readonly parts: readonly string[] },
): string | undefined {
  // a namespace may have further exports
  if (!isPlainMap(value) || Symbol.toStringTag in value) return undefined;
  const unknown = Object.keys(value).find((part) => !parts.includes(part));
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, parts);
  const instead = meant === undefined ? `; expected ${oneOf(parts)}` : ` (did you mean "${meant}"?)`;
  return `it has ${JSON.stringify(unknown)}, which no ${what} has${instead}`;
}
