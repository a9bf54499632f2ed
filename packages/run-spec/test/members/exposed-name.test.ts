import { expect } from 'chai';
import {
  exposedNameOf,
  findNameFault,
  isListed,
  ownNamesOf,
  prefixOf,
  tokensOf,
} from '../../src/members/exposed-name.ts';
import type { NameSettings } from '../../src/members/member.ts';

const ROWS: readonly (readonly [name: string, settings: NameSettings, own: string, exposed: string])[] = [
  ['github', {}, 'search', 'github_search'],
  ['github', { prefix: false }, 'search', 'search'],
  ['github', { prefix: 'gh' }, 'search', 'gh_search'],
  ['github', { prefix: 'gh_' }, 'search', 'gh_search'],
  ['github', { prefix: 'gh.' }, 'search', 'gh.search'],
  ['github', { prefix: 'gh-' }, 'search', 'gh-search'],
  ['git.hub-1', {}, 'search', 'git.hub-1_search'],
  ['github', { override: { search: { name: 'find' } } }, 'search', 'find'],
  ['github', { override: { search: { name: 'find' } }, prefix: false }, 'search', 'find'],
  ['github', { override: { search: { description: 'Search' } } }, 'search', 'github_search'],
  ['github', { override: { other: { name: 'find' } } }, 'search', 'github_search'],
  ['github', {}, '__proto__', 'github___proto__'],
  ['github', { override: {} }, 'constructor', 'github_constructor'],
];

describe('exposedNameOf', () => {
  for (const [member, settings, own, exposed] of ROWS) {
    it(`exposedNameOf › gives ${member}/${own} the name ${exposed} with ${JSON.stringify(settings)}`, () => {
      expect(exposedNameOf({ member, settings }, own)).to.equal(exposed);
      expect(ownNamesOf({ member, settings }, exposed)).to.include(own);
    });
  }
});

describe('ownNamesOf', () => {
  it('ownNamesOf › returns no own name for another member, or for the prefix alone', () => {
    expect(ownNamesOf({ member: 'github', settings: {} }, 'gitlab_search')).to.deep.equal([]);
    expect(ownNamesOf({ member: 'github', settings: {} }, 'github_')).to.deep.equal([]);
  });

  it('ownNamesOf › does not return an own name that has another name', () => {
    const settings = { override: { search: { name: 'find' } } };
    expect(ownNamesOf({ member: 'github', settings }, 'github_search')).to.deep.equal([]);
  });

  it('ownNamesOf › returns every own name that may have the name', () => {
    const settings = { override: { a: { name: 'm_b' }, c: { name: 'm_b' } } };
    expect(ownNamesOf({ member: 'm', settings }, 'm_b')).to.deep.equal(['b', 'a', 'c']);
  });
});

describe('rules of names', () => {
  for (const [name, isValid] of [
    ['a', true],
    ['A-z_0.9', true],
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['', false],
    ['a b', false],
    ['a/b', false],
    ['аdmin', false], // Cyrillic a
    ['a\u200bb', false],
  ] as const) {
    it(`findNameFault › ${isValid ? 'accepts' : 'refuses'} ${JSON.stringify(name.slice(0, 20))} of ${name.length}`, () => {
      expect(findNameFault(name) === undefined).to.equal(isValid);
    });
  }

  it('isListed › returns false for a tool that is not in the list', () => {
    expect(isListed({}, 'a')).to.equal(true);
    expect(isListed({ tools: ['a'] }, 'a')).to.equal(true);
    expect(isListed({ tools: [] }, 'a')).to.equal(false);
  });

  it('prefixOf › is empty for false', () => {
    expect(prefixOf({ member: 'm', settings: { prefix: false } })).to.equal('');
  });

  it('tokensOf › divides the length of the JSON by four', () => {
    expect(tokensOf([{ name: 'abcd' }])).to.equal(5);
    expect(tokensOf([])).to.equal(1);
  });
});
