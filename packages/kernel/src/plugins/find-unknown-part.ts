import { oneOf } from '../faults/describe-value.ts';
import { nearest } from '@portolan/plugin-api';
import { isPlainMap } from '../config/plain-data.ts';

/**
 * What is wrong with the parts of a plugin or a kind that has one nobody knows,
 * as the end of a sentence: what a slip in a name was meant to say would be
 * passed over. An instance of a class has fields of its own, and may.
 */
export function findUnknownPart(
  value: object,
  { what, parts }: { readonly what: string; readonly parts: readonly string[] },
): string | undefined {
  if (!isPlainMap(value) || Symbol.toStringTag in value) return undefined; // a namespace has further exports
  const unknown = Object.keys(value).find((part) => !parts.includes(part));
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, parts);
  const instead = meant === undefined ? `; expected ${oneOf(parts)}` : ` (did you mean "${meant}"?)`;
  return `it has ${JSON.stringify(unknown)}, which no ${what} has${instead}`;
}
