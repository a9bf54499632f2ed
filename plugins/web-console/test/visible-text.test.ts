import { expect } from 'chai';
import { h } from 'preact';
import { renderToString as render } from 'preact-render-to-string';
import { excerpts } from '../src/entry/definitions/excerpts.ts';
import { hiddenTextNote } from '../src/entry/definitions/hidden-text-note.ts';
import { visibleText } from '../src/entry/definitions/visible-text.ts';

const htmlOf = (text: string): string => render(h('p', null, visibleText(text)));
const mark = (text: string): string => `<span class="hidden-mark">${text}</span>`;

describe('visibleText', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['a zero-width space', 'ab\u200bc', `ab${mark('U+200B')}c`],
    ['a bidirectional override', 'a\u202egpj', `a${mark('U+202E')}gpj`],
    ['tag characters', 'a\u{e0041}\u{e0042}', `a${mark('U+E0041')}${mark('U+E0042')}`],
    ['an ANSI sequence', 'a\u001b[8mb', `a${mark('U+001B')}[8mb`],
    ['an HTML comment', 'a<!-- b -->', 'a&lt;!-- b -->'],
    ['long white space', `a${' '.repeat(80)}b`, `a${mark('80 blanks')}b`],
  ];
  for (const [title, text, html] of cases)
    it(`visibleText › shows ${title}`, () => {
      expect(htmlOf(text)).to.equal(`<p>${html}</p>`);
    });

  it('visibleText › leaves emoji and joiners of scripts as they are', () => {
    for (const text of ['👩\u200d🚀 flies', 'می\u200cخواهم', 'two\nlines']) {
      expect(htmlOf(text)).to.equal(`<p>${text}</p>`);
    }
  });

  it('visibleText › counts the marks beyond the first 60, and shows none of the rest', () => {
    const html = htmlOf(`${'a\u200b'.repeat(100)}end`);
    expect(html.match(/U\+200B/g)).to.have.length(60);
    expect(html).to.include('… 40 more hidden parts').and.not.include('\u200b').and.not.include('end');
  });
});

describe('hiddenTextNote', () => {
  it('hiddenTextNote › names the places and returns null without hidden text', () => {
    expect(hiddenTextNote({ description: 'Reads notes.' })).to.equal(null);
    const html = render(hiddenTextNote({ tools: [{ 'na\u200bme': 'x\u202ey' }] }) ?? h('p', null));
    expect(html).to.include('/tools/0/na<span class="hidden-mark">U+200B</span>me');
    expect(html)
      .to.include('1 bidirectional character U+202E')
      .and.not.match(/[\u200b\u202e]/);
  });
});

describe('excerpts', () => {
  it('excerpts › begins shortly before the first difference of long texts', () => {
    const same = 'word '.repeat(1000);
    const [old, now] = excerpts(`${same}reads`, `${same}sends keys`);
    expect(old)
      .to.match(/^….*reads$/)
      .and.to.have.length.below(80);
    expect(now).to.match(/^….*sends keys$/);
  });

  it('excerpts › returns undefined for an absent value and JSON for other values', () => {
    expect(excerpts(undefined, { a: 1 })).to.deep.equal([undefined, '{"a":1}']);
    expect(excerpts(true, undefined)).to.deep.equal(['true', undefined]);
  });

  it('excerpts › limits the length of a new text', () => {
    expect(excerpts('', 'x'.repeat(10_000))[1]).to.have.length.below(420);
  });
});
