import { expect } from 'chai';
import { markWords, type TextPart } from '../../../src/terminal/format/mark-words.ts';

function show(parts: readonly TextPart[]): string {
  const marks = { same: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;
  return parts.map(({ kind, text }) => `${marks[kind][0]}${text}${marks[kind][1]}`).join('');
}

describe('markWords', () => {
  const cases: readonly (readonly [before: string, after: string, expected: string])[] = [
    ['same text', 'same text', 'same text'],
    ['', 'new', '{+new+}'],
    ['old', '', '[-old-]'],
    ['Searches code.', 'Searches secret code.', 'Searches {+secret +}code.'],
    ['Reads a file.', 'Sends a file!', '[-Reads-]{+Sends+} a file[-.-]{+!+}'],
    ['a b c d', 'a c d e', 'a [-b -]c d{+ e+}'],
    ['größe', 'größer', '[-größe-]{+größer+}'],
  ];
  for (const [before, after, expected] of cases) {
    it(`markWords › returns ${JSON.stringify(expected)} when ${JSON.stringify(before)} becomes ${JSON.stringify(after)}`, () => {
      expect(show(markWords(before, after))).to.equal(expected);
    });
  }

  it('markWords › returns parts that are both texts when a change is anywhere', () => {
    const [before, after] = ['one two, three\nfour', 'two three, four\nfive one'];
    const parts = markWords(before, after);
    const join = (without: TextPart['kind']): string =>
      parts.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('');
    expect([join('added'), join('removed')]).to.deep.equal([before, after]);
  });

  it('markWords › marks the whole difference when both texts are long', () => {
    const words = (word: string): string => `${word} `.repeat(3000);
    const startedAt = performance.now();
    const parts = markWords(`same ${words('a')}end`, `same ${words('b')}end`);
    expect(performance.now() - startedAt).to.be.below(1000);
    expect(parts.map(({ kind }) => kind)).to.deep.equal(['same', 'removed', 'added', 'same']);
  });
});
