import type { ClaimSet, ResourceClaims } from '@portolan/plugin-api';

/**
 * How lists are compared.
 * - `any`: one common value is enough. Used for stored claims.
 * - `all`: the caller must hold every value. Used for claims that a request sets.
 */
export type MatchRule = 'any' | 'all';

export interface KeyMatch {
  readonly key: string;
  readonly required: readonly string[];
  /** Strings that the caller holds under the key. Undefined when the token lacks the claim. */
  readonly held: readonly string[] | undefined;
  readonly matches: boolean;
}

/**
 * Returns whether the caller's claims satisfy all required ones. True for a resource without claims: the
 * policy decides whether such a resource is open.
 */
export function matchesClaims(claims: ClaimSet, required: ResourceClaims, rule: MatchRule): boolean {
  return Object.entries(required).every(([key, value]) => matchesKey(claims, key, value, rule));
}

export function matchKeys(
  callerClaims: ClaimSet,
  required: ResourceClaims,
  rule: MatchRule,
): readonly KeyMatch[] {
  return Object.entries(required).map(([key, value]) => ({
    key,
    required: textsOf(value),
    held: Object.hasOwn(callerClaims, key) ? textsOf(callerClaims[key]) : undefined,
    matches: matchesKey(callerClaims, key, value, rule),
  }));
}

/** Returns the names of claims with an empty list. Any value of such a claim satisfies it. */
export function emptyLists(claims: ResourceClaims): readonly string[] {
  return Object.keys(claims).filter((key) => Array.isArray(claims[key]) && claims[key].length === 0);
}

/**
 * Returns the strings in a claim's value. A string counts as a list with one item; values of other types are
 * ignored.
 */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns whether a claim's value contains one (`any`) or all (`all`) of the required strings. */
export function holdsTexts(value: unknown, required: readonly string[], rule: MatchRule): boolean {
  const holds = holderOf(value, required.length);
  return rule === 'any' ? required.some(holds) : required.every(holds);
}

/** Compares one claim. `value` is unknown on purpose: a stored value of an invalid type matches no one. */
function matchesKey(claims: ClaimSet, key: string, value: unknown, rule: MatchRule): boolean {
  const required = requiredTexts(value);
  if (required === undefined || !Object.hasOwn(claims, key)) return false;
  // Any value satisfies an empty list when reading. To set one, a caller would have to hold every value,
  // which no one does.
  return required.length === 0 ? rule === 'any' : holdsTexts(claims[key], required, rule);
}

/** Returns the strings in a required value. Undefined when the value or an item has another type. */
function requiredTexts(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/**
 * Maximum length of a list that is searched directly. Longer lists get a set, so that comparing two lists
 * never takes the product of their lengths.
 */
const SHORT = 8;

/**
 * Returns a function that says whether a claim's value contains a text. `questions` is the expected number of
 * calls. Values of other types contain nothing.
 */
function holderOf(value: unknown, questions: number): (text: string) => boolean {
  if (!Array.isArray(value)) return (text) => text === value;
  const list: readonly unknown[] = value;
  if (questions <= SHORT || list.length <= SHORT) return (text) => list.includes(text);
  const set = new Set(list);
  return (text) => set.has(text);
}
