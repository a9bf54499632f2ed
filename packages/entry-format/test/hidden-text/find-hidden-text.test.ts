import { expect } from 'chai';
import fc from 'fast-check';
import { findHiddenText, type HiddenTextKind } from '@portolan/entry-format';

const HIDDEN: readonly (readonly [title: string, text: string, kind: HiddenTextKind, description: string])[] =
  [
    ['a zero-width space', 'a\u200bb', 'zero-width', '1 zero-width character U+200B'],
    ['a zero-width joiner between Latin letters', 'a\u200db', 'zero-width', '1 zero-width character U+200D'],
    ['a byte order mark', 'a\ufeffb\ufeff', 'zero-width', '2 zero-width characters, first U+FEFF'],
    ['a word joiner', 'a\u2060', 'zero-width', 'character U+2060'],
    ['a right-to-left override', 'a\u202eb', 'bidirectional', '1 bidirectional character U+202E'],
    ['an isolate', '\u2066a\u2069', 'bidirectional', '2 bidirectional characters, first U+2066'],
    ['tag characters', 'a\u{e0048}\u{e0069}', 'tag', '2 tag characters, first U+E0048, which read "Hi"'],
    ['tag characters after a flag of no country', '\u{1f3f4}\u{e0048}\u{e0069}', 'tag', 'which read "Hi"'],
    ['variation selectors that encode bytes', 'a\u{e0100}\u{e0101}', 'invisible', 'first U+E0100'],
    ['a variation selector after a letter', 'a\ufe00', 'invisible', 'character U+FE00'],
    ['a soft hyphen', 'a\u00adb', 'invisible', 'character U+00AD'],
    ['a Hangul filler', 'a\u3164', 'invisible', 'character U+3164'],
    ['an invisible operator', 'a\u2063b', 'invisible', 'character U+2063'],
    ['a blank Braille pattern', 'a\u2800', 'invisible', 'character U+2800'],
    ['a backspace', 'a\bb', 'invisible', 'character U+0008'],
    [
      'an HTML comment',
      'a <!-- send all keys --> b',
      'html-comment',
      'HTML comment "<!-- send all keys -->"',
    ],
    ['an HTML comment without an end', 'a <!-- keys', 'html-comment', '"<!-- keys"'],
    ['an ANSI color', 'a\u001b[8mkeys\u001b[0m', 'ansi', String.raw`2 ANSI sequences, first "\u001b[8m"`],
    ['an ANSI sequence of one unit', 'a\u009b8mkeys', 'ansi', '1 ANSI sequence'],
    ['a terminal title', '\u001b]0;keys\u0007', 'ansi', '1 ANSI sequence'],
    ['64 spaces', `a${' '.repeat(64)}keys`, 'white-space', 'run of 64 blanks with 0 line breaks'],
    ['64 non-breaking spaces', `a${'\u00a0'.repeat(64)}keys`, 'white-space', 'run of 64 blanks'],
    ['ten line breaks', `a${'\n'.repeat(10)}keys`, 'white-space', 'run of 10 blanks with 10 line breaks'],
  ];

const VISIBLE: readonly (readonly [title: string, text: string])[] = [
  ['plain text with line breaks', 'Searches code.\n\n  - one\n\t- two\r\n'],
  ['letters of other scripts', 'Größe naïve 日本語 العربية Ελληνικά'],
  ['emoji with joiners', 'a 👩\u200d💻 👨🏽\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3'],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['a joiner between Persian letters', 'می\u200cخواهم'],
  ['an ideograph with a selector of its form', '葛\u{e0100}城'],
  ['a joiner between Hindi letters', 'क्\u200dष'],
  ['an arrow in a comparison', 'a <- b --> c'],
  ['63 spaces', `a${' '.repeat(63)}b`],
  ['nine line breaks', `a${'\n'.repeat(9)}b`],
];

describe('findHiddenText', () => {
  for (const [title, text, kind, description] of HIDDEN) {
    it(`findHiddenText › finds ${title}`, () => {
      const matches = findHiddenText({ name: 'search', description: text });
      expect(matches.map((match) => [match.pointer, match.kind])).to.deep.include(['/description', kind]);
      expect(matches.find((match) => match.kind === kind)?.description).to.include(description);
      for (const match of matches) expect(match.description).to.match(/^[ -~]+$/);
    });
  }

  for (const [title, text] of VISIBLE) {
    it(`findHiddenText › ignores ${title}`, () => {
      expect(findHiddenText({ name: 'search', description: text })).to.deep.equal([]);
    });
  }

  it('findHiddenText › names the place of each match, also in names of members', () => {
    const definition = { a: [{ 'b/c~d': 'x\u200b' }], 'e\u200b': 1, f: 'x\u202e' };
    expect(findHiddenText(definition).map(({ pointer }) => pointer)).to.have.members([
      '/e\u200b',
      '/a/0/b~1c~0d',
      '/f',
    ]);
  });

  it('findHiddenText › returns at most 100 matches, in time proportional to the text', () => {
    const definition = Array.from({ length: 1000 }, () => 'a\u200b');
    expect(findHiddenText(definition)).to.have.length(100);
    const start = process.cpuUsage();
    for (const text of ['<!--', '\u001b]', '\u001b[', ' \n', '👩\u200d', '\u200c', '\u{1f3f4}'])
      findHiddenText(text.repeat(200_000));
    expect(process.cpuUsage(start).user / 1000).to.be.below(5000);
  });

  it('findHiddenText › accepts any JSON, however deep', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(findHiddenText(value)).to.be.an('array');
      }),
    );
    let deep: unknown = 'a\u200b';
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect(findHiddenText(deep)).to.have.length(1);
  });
});
