import { expect } from 'chai';
import { matchesClaims, matchKeys } from '@portolan/authorization';
import type { ClaimSet } from '@portolan/plugin-api';

/** Claims from JSON text, as a token or a stored document gives them: `__proto__` is a name like every other. */
function json(text: string): Record<string, string | string[]> {
  // SAFETY: every text stands in this file; values of other types are the point.
  return JSON.parse(text) as Record<string, string | string[]>;
}

interface Case {
  readonly held: string;
  readonly required: string;
  /** One value in common is enough. */
  readonly any: boolean;
  /** Every required value has to be held. */
  readonly all: boolean;
}

const LISTS_AND_TEXTS: readonly Case[] = [
  { held: '{"org":"acme","team":"eng"}', required: '{"org":"acme"}', any: true, all: true },
  { held: '{"org":"acme"}', required: '{"org":"acme","team":"eng"}', any: false, all: false },
  { held: '{"org":"acme"}', required: '{"org":"other"}', any: false, all: false },
  { held: '{"team":["eng"]}', required: '{"team":["eng","data"]}', any: true, all: false },
  { held: '{"team":["eng","data"]}', required: '{"team":["eng","data"]}', any: true, all: true },
  { held: '{"team":["eng","data","ops"]}', required: '{"team":"eng"}', any: true, all: true },
  { held: '{"team":"eng"}', required: '{"team":["eng"]}', any: true, all: true },
  { held: '{"team":["ops"]}', required: '{"team":["eng","data"]}', any: false, all: false },
  { held: '{"team":["data","eng"]}', required: '{"team":["eng","data","eng"]}', any: true, all: true },
  {
    held: '{"team":["eng"],"org":"acme"}',
    required: '{"team":["eng","x"],"org":"acme"}',
    any: true,
    all: false,
  },
  {
    held: '{"team":["eng"],"org":"other"}',
    required: '{"team":["eng","x"],"org":"acme"}',
    any: false,
    all: false,
  },
];

const EMPTY: readonly Case[] = [
  { held: '{"team":"eng"}', required: '{"team":[]}', any: true, all: false },
  { held: '{"team":[]}', required: '{"team":[]}', any: true, all: false },
  { held: '{"team":3}', required: '{"team":[]}', any: true, all: false },
  { held: '{"org":"acme"}', required: '{"team":[]}', any: false, all: false },
  { held: '{"team":[]}', required: '{"team":"eng"}', any: false, all: false },
  { held: '{"team":""}', required: '{"team":""}', any: true, all: true },
  { held: '{"team":[]}', required: '{"team":""}', any: false, all: false },
  { held: '{}', required: '{"team":""}', any: false, all: false },
  { held: '{}', required: '{}', any: true, all: true },
];

const OTHER_TYPES: readonly Case[] = [
  { held: '{"level":3}', required: '{"level":"3"}', any: false, all: false },
  { held: '{"level":[3,"4"]}', required: '{"level":"3"}', any: false, all: false },
  { held: '{"level":[3,"4"]}', required: '{"level":"4"}', any: true, all: true },
  { held: '{"level":true}', required: '{"level":"true"}', any: false, all: false },
  { held: '{"level":null}', required: '{"level":"null"}', any: false, all: false },
  { held: '{"level":[["a"]]}', required: '{"level":"a"}', any: false, all: false },
  { held: '{"level":{"a":"a"}}', required: '{"level":"a"}', any: false, all: false },
  { held: '{"level":{"0":"a","length":1}}', required: '{"level":"a"}', any: false, all: false },
  { held: '{"level":"a,b"}', required: '{"level":"a"}', any: false, all: false },
  { held: '{"level":"a b"}', required: '{"level":"a"}', any: false, all: false },
  // What stands on a resource in a form that nobody may store matches nobody, equal or not.
  { held: '{"level":"3"}', required: '{"level":3}', any: false, all: false },
  { held: '{"level":3}', required: '{"level":3}', any: false, all: false },
  { held: '{"level":true}', required: '{"level":true}', any: false, all: false },
  { held: '{"level":null}', required: '{"level":null}', any: false, all: false },
  { held: '{"level":{"a":1}}', required: '{"level":{}}', any: false, all: false },
  { held: '{"level":["a"]}', required: '{"level":["a",3]}', any: false, all: false },
  { held: '{"level":["a"]}', required: '{"level":[["a"]]}', any: false, all: false },
  { held: '{"level":["a"]}', required: '{"level":[[]]}', any: false, all: false },
  { held: '{"level":["a"]}', required: '{"level":[null]}', any: false, all: false },
];

const EXACT: readonly Case[] = [
  { held: '{"Org":"acme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":"Acme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":" acme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":"acme\\u0000"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":"acme\\u200b"}', required: '{"org":"acme"}', any: false, all: false },
  // Cyrillic а, fullwidth ａ, and é in its two forms.
  { held: '{"org":"\\u0430cme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":"\\uff41cme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"\\u043erg":"acme"}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"org":"caf\\u00e9"}', required: '{"org":"cafe\\u0301"}', any: false, all: false },
  { held: '{"org":"stra\\u00dfe"}', required: '{"org":"strasse"}', any: false, all: false },
  { held: '{"\\u0130d":"x"}', required: '{"id":"x"}', any: false, all: false },
  { held: '{"org":"caf\\u00e9"}', required: '{"org":"caf\\u00e9"}', any: true, all: true },
  // A name with a dot is one name, not a way into a map.
  { held: '{"realm":{"roles":"x"}}', required: '{"realm.roles":"x"}', any: false, all: false },
  { held: '{"realm.roles":"x"}', required: '{"realm.roles":"x"}', any: true, all: true },
];

const PROTOTYPE_NAMES: readonly Case[] = [
  { held: '{}', required: '{"__proto__":[]}', any: false, all: false },
  { held: '{}', required: '{"constructor":[]}', any: false, all: false },
  { held: '{}', required: '{"toString":[]}', any: false, all: false },
  { held: '{"__proto__":{"org":"acme"}}', required: '{"org":"acme"}', any: false, all: false },
  { held: '{"__proto__":"x"}', required: '{"__proto__":"x"}', any: true, all: true },
  { held: '{"constructor":"x"}', required: '{"constructor":"x"}', any: true, all: true },
  { held: '{"hasOwnProperty":"x","org":"acme"}', required: '{"org":"acme"}', any: true, all: true },
  { held: '{"1":"a"}', required: '{"1":"a"}', any: true, all: true },
  { held: '{"team":["a"]}', required: '{"length":"1"}', any: false, all: false },
];

describe('matchesClaims, for reading ("any") and setting ("all") (reference 843)', () => {
  for (const [group, cases] of Object.entries({
    'lists and texts': LISTS_AND_TEXTS,
    'what is empty': EMPTY,
    'values of other types': OTHER_TYPES,
    'exact comparison': EXACT,
    'names that objects have': PROTOTYPE_NAMES,
  })) {
    describe(group, () => {
      for (const { held, required, any, all } of cases) {
        it(`${held} against ${required}: ${any ? 'read' : 'not read'}, ${all ? 'set' : 'not set'}`, () => {
          const claims = json(held);
          const resource = json(required);
          expect(matchesClaims(claims, resource, 'any'), 'any').to.equal(any);
          expect(matchesClaims(claims, resource, 'all'), 'all').to.equal(all);
        });
      }
    });
  }

  it('finds one of ten thousand values at either end, and no absent one', () => {
    const team = Array.from({ length: 10_000 }, (_, at) => `team-${at}`);
    for (const rule of ['any', 'all'] as const) {
      expect(matchesClaims({ team }, { team: 'team-0' }, rule)).to.equal(true);
      expect(matchesClaims({ team }, { team: 'team-9999' }, rule)).to.equal(true);
      expect(matchesClaims({ team }, { team: 'team-10000' }, rule)).to.equal(false);
      expect(matchesClaims({ team }, { team }, rule)).to.equal(true);
    }
    expect(matchesClaims({ team }, { team: [...team, 'one-more'] }, 'any')).to.equal(true);
    expect(matchesClaims({ team }, { team: [...team, 'one-more'] }, 'all')).to.equal(false);
    expect(matchesClaims({ team: [...team, 3] }, { team: [...team.slice(0, 50), '3'] }, 'all')).to.equal(
      false,
    );
  });

  it('ignores the prototype of its argument', () => {
    const held: ClaimSet = Object.create({ org: 'acme' });
    expect(matchesClaims(held, { org: 'acme' }, 'any')).to.equal(false);
  });
});

describe('matchKeys', () => {
  it('returns for each key the required and held values and the decision', () => {
    const held = { org: 'acme', team: ['a', 3, 'b'], level: 3 };
    const required = { org: 'acme', team: ['b', 'c'], level: '3', region: [] };
    expect(matchKeys(held, required, 'any')).to.deep.equal([
      { key: 'org', required: ['acme'], held: ['acme'], matches: true },
      { key: 'team', required: ['b', 'c'], held: ['a', 'b'], matches: true },
      { key: 'level', required: ['3'], held: [], matches: false },
      { key: 'region', required: [], held: undefined, matches: false },
    ]);
    expect(matchKeys(held, required, 'all').map(({ matches }) => matches)).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });

  it('agrees with matchesClaims about all keys together', () => {
    for (const { held, required } of [
      ...LISTS_AND_TEXTS,
      ...EMPTY,
      ...OTHER_TYPES,
      ...EXACT,
      ...PROTOTYPE_NAMES,
    ])
      for (const rule of ['any', 'all'] as const) {
        const keys = matchKeys(json(held), json(required), rule);
        const expected = matchesClaims(json(held), json(required), rule);
        expect(
          keys.every(({ matches }) => matches),
          `${held} against ${required}`,
        ).to.equal(expected);
      }
  });
});
