import type { EntryFilterRules } from '@portolan/entry-format';
import { createEntryFilter } from '@portolan/entry-format';
import type { EntryType } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';

function accepts(
  rules: EntryFilterRules,
  name: string,
  tags: readonly string[] = [],
  type: EntryType = 'server',
): boolean {
  return createEntryFilter(rules).accepts({ type, name, tags });
}

describe('createEntryFilter', () => {
  const patterns = [
    {
      pattern: 'com.acme/*',
      matching: ['com.acme/notes', 'com.acme/a/b'],
      others: ['com.acmee/notes', 'com.beta/notes'],
    },
    {
      pattern: '*/legacy-*',
      matching: ['com.acme/legacy-notes'],
      others: ['com.acme/notes', 'com.legacy-/notes'],
    },
    { pattern: '*', matching: ['com.acme/notes', 'notes'], others: [] },
    { pattern: '*notes', matching: ['com.acme/notes'], others: ['com.acme/notes2'] },
    { pattern: 'com.{acme,beta}/*', matching: ['com.acme/x', 'com.beta/x'], others: ['com.zeta/x'] },
    { pattern: 'com.acme/note?', matching: ['com.acme/notes'], others: ['com.acme/note', 'com.acme/notess'] },
    { pattern: 'com.[ab]*/x', matching: ['com.acme/x', 'com.beta/x'], others: ['com.zeta/x'] },
    { pattern: 'com.[!a]*/x', matching: ['com.beta/x'], others: ['com.acme/x'] },
    {
      pattern: 'com.acme/notes',
      matching: ['com.acme/notes'],
      others: ['com.acme/notes2', 'comXacme/notes'],
    },
    { pattern: '!com.acme/*', matching: [], others: ['com.beta/x', 'com.acme/x'] },
    { pattern: 'Com.acme/*', matching: [], others: ['com.acme/x'] },
  ];
  for (const { pattern, matching, others } of patterns) {
    it(`includes and excludes by ${pattern}`, () => {
      for (const name of matching) {
        expect(accepts({ names: { include: [pattern] } }, name), name).to.equal(true);
        expect(accepts({ names: { exclude: [pattern] } }, name), name).to.equal(false);
      }
      for (const name of others) {
        expect(accepts({ names: { include: [pattern] } }, name), name).to.equal(false);
        expect(accepts({ names: { exclude: [pattern] } }, name), name).to.equal(true);
      }
    });
  }

  for (const pattern of [
    '[',
    'com.[acme/*',
    '{a',
    '(',
    '',
    'com.acme/[z-a]',
    'a\\',
    'a(b|c)*',
    '{a,{b,c}',
    '{1..3}',
    '[[:alpha:]]',
    'a]',
  ]) {
    it(`excludes every entry by the invalid pattern ${JSON.stringify(pattern)}, and warns`, () => {
      const include = createEntryFilter({ names: { include: [pattern] } });
      const exclude = createEntryFilter({ names: { exclude: [pattern] } });
      for (const name of ['com.acme/notes', pattern]) {
        expect(include.accepts({ type: 'server', name, tags: [] })).to.equal(false);
        expect(exclude.accepts({ type: 'server', name, tags: [] })).to.equal(false);
      }
      expect(include.warnings[0]).to.contain('`include`').and.to.contain('It matches no entry');
      expect(exclude.warnings[0]).to.contain('`exclude`').and.to.contain('It leaves out every entry');
    });
  }

  it('applies the valid patterns next to an invalid include', () => {
    const filter = createEntryFilter({ names: { include: ['[', 'com.acme/*'] } });
    expect(filter.accepts({ type: 'server', name: 'com.acme/notes', tags: [] })).to.equal(true);
    expect(filter.warnings).to.have.lengthOf(1);
  });

  it('prefers exclude to include', () => {
    const names = { include: ['com.acme/*'], exclude: ['*/legacy-*'] };
    expect(accepts({ names }, 'com.acme/notes')).to.equal(true);
    expect(accepts({ names }, 'com.acme/legacy-notes')).to.equal(false);
    const tags = { include: ['database'], exclude: ['deprecated'] };
    expect(accepts({ tags }, 'a/b', ['database'])).to.equal(true);
    expect(accepts({ tags }, 'a/b', ['database', 'deprecated'])).to.equal(false);
  });

  it('compares tags exactly', () => {
    expect(accepts({ tags: { include: ['data*'] } }, 'a/b', ['database'])).to.equal(false);
    expect(accepts({ tags: { include: ['database'] } }, 'a/b', ['Database'])).to.equal(false);
    expect(accepts({ tags: { include: ['database'] } }, 'a/b')).to.equal(false);
  });

  it('filters servers by name and tags, skills and plugins by name only', () => {
    const rules = { names: { include: ['com.acme/*'] }, tags: { include: ['database'] } };
    expect(accepts(rules, 'com.acme/x', [], 'server')).to.equal(false);
    expect(accepts(rules, 'com.beta/x', ['database'], 'server')).to.equal(false);
    expect(accepts(rules, 'com.acme/x', ['database'], 'server')).to.equal(true);
    expect(accepts(rules, 'com.acme/x', [], 'skill')).to.equal(true);
    expect(accepts(rules, 'com.acme/x', [], 'plugin')).to.equal(true);
    expect(accepts(rules, 'com.beta/x', ['database'], 'skill')).to.equal(false);
  });

  it('accepts every entry without rules and with empty lists', () => {
    expect(accepts({}, 'com.acme/notes')).to.equal(true);
    expect(
      accepts({ names: { include: [], exclude: [] }, tags: { include: [] } }, 'com.acme/notes'),
    ).to.equal(true);
  });

  it('never throws on any pattern', () => {
    const pattern = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'* ? [ ] { } ( ) ! @ + , \\ / | ^ $ . a -'.split(' ')) }),
    );
    fc.assert(
      fc.property(pattern, (text) => {
        const filter = createEntryFilter({ names: { include: [text] } });
        expect(filter.accepts({ type: 'server', name: 'com.acme/notes', tags: [] })).to.be.a('boolean');
      }),
    );
  });
});
