import fc from 'fast-check';
import type { OracleClaims } from './oracle.ts';

/** So few names and texts that what is held and what is asked for meet often. */
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
/** Longer than what is looked through value by value. */
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

/** A value that a resource may have: a text or a list of texts. */
const properValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 4, arbitrary: shortList },
  { weight: 1, arbitrary: longList },
);
/** What JSON may hold at the same place. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: properValue },
  { weight: 1, arbitrary: noText },
  { weight: 1, arbitrary: oddList },
);

/** Pairs as an object; `__proto__` is one of its own names, as JSON.parse makes it. */
function claimsOf(value: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<OracleClaims> {
  return fc.array(fc.tuple(name, value), { maxLength }).map((pairs) => Object.fromEntries(pairs));
}

/** Claims as a token may carry them: any JSON. */
export const tokenClaims = claimsOf(anyValue, 6);

/** Claims of resources and rules as they may be stored. */
export const properClaims = claimsOf(properValue, 3);

/** The same, and what no door lets in: it has to fail closed. */
export const storedClaims = fc.oneof(
  { weight: 3, arbitrary: properClaims },
  { weight: 1, arbitrary: claimsOf(anyValue, 3) },
);

/** Claims, and a token that was made from them by leaving out and adding: near misses and exact hits. */
export function tokenBeside(
  resource: fc.Arbitrary<OracleClaims>,
): fc.Arbitrary<[OracleClaims, OracleClaims]> {
  const made = fc
    .tuple(resource, tokenClaims, fc.infiniteStream(fc.nat({ max: 5 })))
    .map(([claims, added, dice]): [OracleClaims, OracleClaims] => {
      const next = (): number => dice.next().value ?? 0;
      const kept = Object.entries(claims).flatMap(([key, value]): [string, unknown][] => {
        const chance = next();
        if (chance === 0) return [];
        if (chance === 1 && typeof value === 'string') return [[key, [value, 'more']]];
        if (Array.isArray(value) && chance < 4) return [[key, value.slice(chance - 1)]];
        return [[key, value]];
      });
      return [claims, Object.fromEntries([...Object.entries(added), ...kept])];
    });
  return fc.oneof(made, fc.tuple(resource, tokenClaims));
}
