import fc from 'fast-check';
import type { OracleClaims } from './oracle.ts';

/** Names of claims. There are few, so the claims of callers and of resources often match. */
const NAMES = [
  'org',
  'Org',
  'team',
  'level',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '1',
  '01',
  '',
];
const TEXTS = ['a', 'A', 'b', 'c', '', '1', 'true', 'null', '__proto__', 'e\u0301', '\u00e9', 'а'];

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('org', 'team') },
  { weight: 2, arbitrary: fc.constantFrom(...NAMES) },
);
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS) },
);
const shortList = fc.array(text, { maxLength: 4 });
/** List that is longer than the limit up to which values are compared one by one. */
const longList = fc
  .array(fc.nat({ max: 19 }), { minLength: 9, maxLength: 24 })
  .map((numbers) => numbers.map((number) => `v${number}`));

const noText: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  1,
  0,
  true,
  false,
  null,
  {},
  { a: 'a' },
  { 0: 'a', length: 1 },
);
const oddList: fc.Arbitrary<unknown> = fc.array(fc.oneof(text, noText, shortList as fc.Arbitrary<unknown>), {
  minLength: 1,
  maxLength: 4,
});

/** Value that a resource may have: a string or a list of strings. */
const properValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 4, arbitrary: shortList },
  { weight: 1, arbitrary: longList },
);
/** Any JSON value at the place of a claim value. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: properValue },
  { weight: 1, arbitrary: noText },
  { weight: 1, arbitrary: oddList },
);

/** Returns an object with these pairs. `__proto__` becomes an own property, as in `JSON.parse`. */
function claimsOf(value: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<OracleClaims> {
  return fc.array(fc.tuple(name, value), { maxLength }).map((pairs) => Object.fromEntries(pairs));
}

/** Claims of a token: any JSON object. */
export const tokenClaims = claimsOf(anyValue, 6);

/** Valid claims of resources and rules. */
export const properClaims = claimsOf(properValue, 3);

/**
 * Claims as in `properClaims`, and invalid ones that a database could contain. The checks have to deny access
 * for the latter.
 */
export const storedClaims = fc.oneof(
  { weight: 3, arbitrary: properClaims },
  { weight: 1, arbitrary: claimsOf(anyValue, 3) },
);

/** Claims of a resource, with a token that has nearly or exactly these claims. */
export function tokenBeside(
  resource: fc.Arbitrary<OracleClaims>,
): fc.Arbitrary<[OracleClaims, OracleClaims]> {
  const made = fc
    .tuple(resource, tokenClaims, fc.infiniteStream(fc.nat({ max: 5 })))
    .map(([claims, added, dice]): [OracleClaims, OracleClaims] => {
      const next = (): number => dice.next().value ?? 0;
      const remaining = Object.entries(claims).flatMap(([key, value]): [string, unknown][] => {
        const chance = next();
        if (chance === 0) return [];
        if (chance === 1 && typeof value === 'string') return [[key, [value, 'more']]];
        if (Array.isArray(value) && chance < 4) return [[key, value.slice(chance - 1)]];
        return [[key, value]];
      });
      return [claims, Object.fromEntries([...Object.entries(added), ...remaining])];
    });
  return fc.oneof(made, fc.tuple(resource, tokenClaims));
}
