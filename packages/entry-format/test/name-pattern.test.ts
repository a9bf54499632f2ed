import { expect } from 'chai';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { readNamePattern } from '../src/name-pattern.ts';
import { trials } from '../../../test/support/soak.ts';

describe('readNamePattern', () => {
  const cases = [
    { pattern: '*', matching: ['', 'a', 'a/b', 'a\nb'], others: [] },
    { pattern: 'a**b', matching: ['ab', 'a/x/b'], others: ['a', 'abc'] },
    { pattern: 'a*b*c', matching: ['abc', 'abbc', 'a/b/c', 'abcbc'], others: ['ac', 'acb', 'abcd'] },
    { pattern: 'a?c', matching: ['abc', 'a😀c'], others: ['ac', 'a/c', 'abbc'] },
    { pattern: '[a-c]x', matching: ['ax', 'bx', 'cx'], others: ['dx', 'x', 'Ax'] },
    { pattern: '[!a-c]x', matching: ['dx', '-x'], others: ['bx', '/x', 'x'] },
    { pattern: '[^a]', matching: ['b'], others: ['a', '/'] },
    { pattern: '[]a]', matching: [']', 'a'], others: ['[', 'b'] },
    { pattern: '[a-]', matching: ['a', '-'], others: ['b'] },
    { pattern: '[\\]*]', matching: [']', '*'], others: ['\\', 'a'] },
    { pattern: '{a,b{c,d}}/*', matching: ['a/', 'bc/x', 'bd/x'], others: ['b/x', 'abc/x'] },
    { pattern: 'a{,b}', matching: ['a', 'ab'], others: ['b'] },
    { pattern: '{*a,b?}', matching: ['xa', 'bx'], others: ['b', 'ax'] },
    { pattern: '{a}', matching: ['{a}'], others: ['a'] },
    { pattern: '\\*\\{a,b\\}', matching: ['*{a,b}'], others: ['x{a,b}', '*a'] },
    { pattern: '!a+b.c|$^@x', matching: ['!a+b.c|$^@x'], others: ['b'] },
  ];
  for (const { pattern, matching, others } of cases) {
    it(`parses ${pattern}`, () => {
      const matches = readNamePattern(pattern);
      for (const name of matching) expect(matches(name), name).to.equal(true);
      for (const name of others) expect(matches(name), name).to.equal(false);
    });
  }

  const unreadable = [
    { pattern: '', because: 'empty' },
    { pattern: 'a'.repeat(1001), because: 'longer than 1000' },
    { pattern: 'a[b', because: 'no "]"' },
    { pattern: 'a]', because: 'no "["' },
    { pattern: 'a{b', because: 'no "}"' },
    { pattern: 'a\\', because: 'at its end' },
    { pattern: '(a+)+', because: '{a,b}' },
    { pattern: '[b-a]', because: 'out of order' },
    { pattern: '[[:digit:]]', because: 'named sets' },
    { pattern: '{1..9}', because: '[a-b]' },
    { pattern: '{a,b}'.repeat(7), because: 'more than 100 patterns' },
    { pattern: `{${'a,'.repeat(101)}}`, because: 'more than 100 patterns' },
    { pattern: '{'.repeat(500), because: 'no "}"' },
  ];
  for (const { pattern, because } of unreadable) {
    it(`rejects ${pattern.slice(0, 20)}: ${because}`, () => {
      expect(() => readNamePattern(pattern)).to.throw(SyntaxError, because);
    });
  }

  // As a regular expression each of these takes longer than anybody waits.
  const costly = [
    { pattern: 'a*'.repeat(60), name: `${'a'.repeat(199)}b`, expected: true },
    { pattern: `${'a*'.repeat(60)}c`, name: 'a'.repeat(200), expected: false },
    { pattern: `${'*a'.repeat(60)}b`, name: 'a'.repeat(200), expected: false },
    { pattern: `${'{a,a*}'.repeat(6)}c`, name: 'a'.repeat(200), expected: false },
    { pattern: `${'?*'.repeat(100)}/`, name: 'a'.repeat(200), expected: false },
  ];
  for (const { pattern, name, expected } of costly) {
    it(`parses ${pattern.slice(0, 12)}… of ${pattern.length} characters in linear time`, () => {
      expect(readNamePattern(pattern)(name)).to.equal(expected);
    });
  }

  it('matches like picomatch', () => {
    const options = { bash: true, posix: true, dot: true, nonegate: true, noextglob: true, windows: false };
    const piece = fc.constantFrom(
      'a',
      'b',
      '/',
      'c.d',
      '?',
      '*',
      '[ab]',
      '[!a]',
      '{a,b}',
      '{a,*b}',
      '{a,{b,/}}',
    );
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((pieces) => `a${pieces.join('')}b`)
      // picomatch has rules of its own for `**` as a folder.
      .filter((text) => !text.includes('**'));
    const name = fc
      .array(fc.constantFrom('a', 'b', '/', 'c.d', 'e'), { maxLength: 8 })
      .map((pieces) => `a${pieces.join('')}b`);
    fc.assert(
      fc.property(pattern, name, (text, one) => {
        expect(readNamePattern(text)(one)).to.equal(picomatch(text, options)(one));
      }),
      trials({ short: 2000 }),
    );
  });
});
