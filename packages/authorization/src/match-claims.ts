import type { ClaimSet, ResourceClaims } from '@portolan/plugin-api';

/**
 * How lists are compared. `any`: one value in common is enough; for what is
 * stored (reading, and the claims a resource has before a change). `all`: every
 * required value has to be held; for claims that a request wants to give.
 */
export type MatchRule = 'any' | 'all';

/** One key of a resource's claims beside what a caller holds. */
export interface KeyMatch {
  readonly key: string;
  readonly required: readonly string[];
  /** The texts the caller holds under the key; undefined when the caller lacks it. */
  readonly held: readonly string[] | undefined;
  readonly matches: boolean;
}

/**
 * Whether a caller's claims contain a resource's: all keys match. True for a
 * resource without claims; whether that opens or closes it is the policy's to
 * say (registry-authorization.md, section 2, rules 2 and 3).
 */
export function matchesClaims(held: ClaimSet, required: ResourceClaims, rule: MatchRule): boolean {
  return Object.entries(required).every(([key, value]) => matchesKey(held, key, value, rule));
}

/** Every key of a resource's claims and whether the caller holds it. */
export function matchKeys(held: ClaimSet, required: ResourceClaims, rule: MatchRule): readonly KeyMatch[] {
  return Object.entries(required).map(([key, value]) => ({
    key,
    required: textsOf(value),
    held: Object.hasOwn(held, key) ? textsOf(held[key]) : undefined,
    matches: matchesKey(held, key, value, rule),
  }));
}

/** Names of claims whose value is an empty list. Any value of that claim satisfies it. */
export function emptyLists(claims: ResourceClaims): readonly string[] {
  return Object.keys(claims).filter((key) => Array.isArray(claims[key]) && claims[key].length === 0);
}

/** The texts of a claim's value: a text is a list of one, what is no text counts for nothing. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Whether the texts of a token's claim are enough: one of the required ones (`any`) or each of them (`all`). */
export function holdsTexts(value: unknown, required: readonly string[], rule: MatchRule): boolean {
  const holds = holderOf(value, required.length);
  return rule === 'any' ? required.some(holds) : required.every(holds);
}

/** `value` is unknown on purpose: what is stored in a form nobody may store matches nobody. */
function matchesKey(held: ClaimSet, key: string, value: unknown, rule: MatchRule): boolean {
  const required = requiredTexts(value);
  if (required === undefined || !Object.hasOwn(held, key)) return false;
  // Any value satisfies an empty list when reading. Nobody holds every value, which setting one would need.
  return required.length === 0 ? rule === 'any' : holdsTexts(held[key], required, rule);
}

/** As a resource has them; undefined where the value is of another type, or a list holds one. */
function requiredTexts(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** Lists longer than this are looked through once each, so that no pair of lists costs their product. */
const SHORT = 8;

/** Whether a claim's value holds a text, asked so many times. What is no text never equals one. */
function holderOf(value: unknown, questions: number): (text: string) => boolean {
  if (!Array.isArray(value)) return (text) => text === value;
  const list: readonly unknown[] = value;
  if (questions <= SHORT || list.length <= SHORT) return (text) => list.includes(text);
  const set = new Set(list);
  return (text) => set.has(text);
}
