import { expect } from 'chai';
import fc from 'fast-check';
import { findValue } from '../../src/message/json-text.ts';

/** The name in quotes, some of its characters as escapes. */
function quoted(name: string, picks: () => boolean): string {
  const written = [];
  for (let at = 0; at < name.length; at += 1) {
    const escape = `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`;
    written.push(picks() ? escape : JSON.stringify(name.charAt(at)).slice(1, -1));
  }
  return `"${written.join('')}"`;
}

describe('findValue', () => {
  const name = fc.string({ maxLength: 8 }).filter((text) => !text.includes('\\'));

  it('finds the value of every member, however its name is escaped', () => {
    const members = fc.uniqueArray(fc.tuple(name, fc.jsonValue({ maxDepth: 2 })), {
      selector: ([key]) => key,
      maxLength: 6,
    });
    fc.assert(
      fc.property(members, name, fc.infiniteStream(fc.boolean()), (all, asked, stream) => {
        const picks = (): boolean => stream.next().value === true;
        const blank = picks() ? ' \n' : '';
        const text = `${blank}{${all.map(([key, value]) => `${blank}${quoted(key, picks)}${blank}:${blank}${JSON.stringify(value)}`).join(`${blank},`)}${blank}}`;
        for (const [key, value] of all) {
          const span = findValue(text, [key]);
          expect(span && text.slice(span.start, span.end)).to.equal(JSON.stringify(value));
        }
        const isThere = all.some(([key]) => key === asked);
        expect(findValue(text, [asked]) !== undefined).to.equal(isThere);
      }),
    );
  });

  it('follows a path, and returns undefined when a member on it is missing or not an object', () => {
    const text = '{"params":{"_meta":{"progressToken":7}},"id":1}';
    const span = findValue(text, ['params', '_meta', 'progressToken']);
    expect(span && text.slice(span.start, span.end)).to.equal('7');
    expect(findValue(text, ['params', 'meta', 'progressToken'])).to.equal(undefined);
    expect(findValue(text, ['id', 'x'])).to.equal(undefined);
  });
});
