import { expect } from 'chai';
import fc from 'fast-check';
import { decodePageCursor, encodePageCursor } from '../../src/parameters/page-cursor.ts';

describe('decodePageCursor', () => {
  it('decodes a cursor of encodePageCursor for the same list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (list, after) => {
        const cursor = encodePageCursor(list, after);
        expect(cursor).to.match(/^[\w-]+$/);
        expect(decodePageCursor(list, cursor)).to.equal(after);
      }),
    );
  });

  const written = encodePageCursor('source a', 'x');
  for (const [title, list, text] of [
    ['of another list', 'source b', written],
    ['that was cut', 'source a', written.slice(0, -2)],
    ['that was changed', 'source a', `A${written.slice(1)}`],
    ['that is no list', 'source a', Buffer.from('{"a":1}').toString('base64url')],
    ['that is no JSON', 'source a', Buffer.from('hello').toString('base64url')],
    ['with padding', 'source a', `${written}==`],
  ] as const) {
    it(`rejects a cursor ${title}`, () => {
      expect(() => decodePageCursor(list, text))
        .to.throw()
        .with.property('code', 'ERR_CURSOR_INVALID');
    });
  }
});
