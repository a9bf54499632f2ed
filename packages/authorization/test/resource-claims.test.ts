import { expect } from 'chai';
import { parseResourceClaims } from '@portolan/authorization';

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `value-${at}`);
const names = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at}`, 'x']));

function problems(value: unknown): readonly string[] {
  const parsed = parseResourceClaims(value);
  return 'problems' in parsed ? parsed.problems : [];
}

describe('parseResourceClaims', () => {
  const good: readonly (readonly [what: string, value: Record<string, string | string[]>])[] = [
    ['nothing', {}],
    ['texts', { org: 'acme', Org: 'ACME', 'realm.roles': 'x', 'https://acme.example/team': 'eng' }],
    ['lists', { team: ['b', 'a', 'b'], none: [] }],
    ['texts that are odd but texts', { org: '', 'é\u0301': 'ａcme\u0000\u200b', ' ': ' ' }],
    ['names that objects have', { constructor: 'x', toString: 'y', hasOwnProperty: ['z'] }],
    ['as much as is allowed', { ...names(62), many: texts(1000), ['n'.repeat(1024)]: 'v'.repeat(1024) }],
  ];
  for (const [what, value] of good) {
    it(`accepts ${what}, unchanged`, () => {
      expect(parseResourceClaims(value)).to.deep.equal({ claims: value });
    });
  }

  const bad: readonly (readonly [what: string, value: unknown, problem: RegExp])[] = [
    ['nothing at all', undefined, /^claims is nothing; expected a map/],
    ['null', null, /^claims is null;/],
    ['a text', 'org=acme', /^claims is a string;/],
    ['a list', [['org', 'acme']], /^claims is a list;/],
    [
      'a number as a value',
      { org: 3 },
      /^claims\["org"\] holds a number; expected a text or a list of texts/,
    ],
    ['true as a value', { org: true }, /holds a boolean/],
    ['null as a value', { org: null }, /holds null/],
    ['undefined as a value, which would vanish in JSON', { org: 'acme', team: undefined }, /holds nothing/],
    ['a map as a value', { org: { any: 'x' } }, /holds a map/],
    ['a list with a number', { org: ['acme', 3] }, /holds a number/],
    ['a list with undefined', { org: ['acme', undefined] }, /holds nothing/],
    ['a list with a hole', { org: Array.from(['acme']).concat(Array(2)) }, /holds nothing/],
    ['a list in a list', { org: [['acme']] }, /holds a list/],
    ['an empty list in a list', { org: [[]] }, /holds a list/],
    [
      '__proto__ as a name',
      JSON.parse('{"__proto__":"x"}'),
      /^claims\["__proto__"\]: this name is not possible/,
    ],
    ['an empty name', { '': 'x' }, /a name has 1 to 1024 characters/],
    ['a name that is too long', { ['n'.repeat(1025)]: 'x' }, /a name has 1 to 1024 characters/],
    ['a text that is too long', { org: 'v'.repeat(1025) }, /more than 1024 characters/],
    ['a text that is too long in a list', { org: ['x', 'v'.repeat(1025)] }, /more than 1024 characters/],
    ['a thousand and one values', { org: texts(1001) }, /has 1001 values; at most 1000/],
    ['ten thousand values', { org: texts(10_000) }, /has 10000 values; at most 1000/],
    ['sixty-five names', names(65), /^claims has 65 names; at most 64/],
  ];
  for (const [what, value, problem] of bad) {
    it(`rejects ${what}`, () => {
      const [first = '', ...others] = problems(value);
      expect(first).to.match(problem);
      expect(others).to.deep.equal([]);
    });
  }

  it('reports every invalid claim once', () => {
    const found = problems({ org: 3, team: ['a', null, 4], region: 'eu', '': 'x' });
    expect(found).to.have.length(3);
  });

  it('limits the length of its messages for claim names of any length', () => {
    const [first = ''] = problems({ ['"\n'.repeat(10_000)]: 'x' });
    expect(first.length).to.be.lessThan(400);
  });

  it('neither reads nor changes the prototype of objects', () => {
    const inherited: unknown = Object.create({ org: 3 });
    expect(parseResourceClaims(inherited)).to.deep.equal({ claims: {} });
    const parsed = parseResourceClaims(JSON.parse('{"constructor":{"prototype":{"polluted":"x"}}}'));
    expect(parsed).to.have.property('problems');
    expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false);
  });
});
