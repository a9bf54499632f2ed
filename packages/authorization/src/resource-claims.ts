import type { ResourceClaims } from '@portolan/plugin-api';

/** Parsed claims, or the problems as one sentence each. */
export type ParsedClaims =
  | { readonly claims: ResourceClaims }
  | { readonly problems: readonly [string, ...string[]] };

const MAX_KEYS = 64;
const MAX_VALUES = 1000;
const MAX_TEXT_LENGTH = 1024;

/**
 * Parses a map of names to a string or a list of strings. Accepts at most 64 names and 1,000 strings per
 * name, each of at most 1,024 characters; no name is empty or `__proto__`. A value of another type is a
 * problem: dropping it could make the resource visible to more callers. Never throws.
 */
export function parseResourceClaims(value: unknown): ParsedClaims {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      problems: [`claims is ${typeName(value)}; expected a map of names to a text or a list of texts.`],
    };
  }
  const entries = Object.entries(value);
  const [first, ...others] =
    entries.length > MAX_KEYS
      ? [`claims has ${entries.length} names; at most ${MAX_KEYS} are taken.`]
      : entries.flatMap(([name, claim]) => problemsOf(name, claim));
  if (first !== undefined) return { problems: [first, ...others] };
  const claims: ResourceClaims = Object.fromEntries(entries);
  return { claims };
}

function problemsOf(name: string, value: unknown): readonly string[] {
  const place = `claims[${JSON.stringify(name.slice(0, 64))}]`;
  if (name === '' || name.length > MAX_TEXT_LENGTH)
    return [`${place}: a name has 1 to ${MAX_TEXT_LENGTH} characters.`];
  if (name === '__proto__') return [`${place}: this name is not possible.`];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length > MAX_VALUES)
    return [`${place} has ${texts.length} values; at most ${MAX_VALUES} are taken.`];
  // The invalid item may itself be `undefined`.
  const wrong = texts.findIndex((text) => typeof text !== 'string');
  if (wrong >= 0) return [`${place} holds ${typeName(texts[wrong])}; expected a text or a list of texts.`];
  const tooLong = texts.some((text) => typeof text === 'string' && text.length > MAX_TEXT_LENGTH);
  return tooLong ? [`${place} holds a text of more than ${MAX_TEXT_LENGTH} characters.`] : [];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}
