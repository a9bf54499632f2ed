import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, type CursorScope } from '../../src/parameters/cursor.ts';

const scope: CursorScope = { registry: 'main', type: 'server' };
const visible = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .filter((text) => /^[^\s\p{Cc}]+$/u.test(text) && text.isWellFormed());
const key = fc.record({
  name: fc.tuple(visible(60), visible(60)).map((parts) => parts.join('/')),
  version: visible(60),
});

describe('encodeCursor and decodeCursor', () => {
  it('preserve every position and filter, in characters that need no escape', () => {
    fc.assert(
      fc.property(key, fc.string({ unit: 'grapheme' }), (after, search) => {
        const filters = `search=${encodeURIComponent(search.toWellFormed())}`;
        const text = encodeCursor(scope, after, filters);
        expect(text).to.match(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(scope, text)).to.deep.equal({ after, filters });
      }),
    );
  });

  it('accept the format of the reference server, with commas in the version', () => {
    fc.assert(
      fc.property(key, (after) => {
        fc.pre(!after.name.includes(',') && !after.name.startsWith('['));
        const text = Buffer.from(`${after.name},${after.version}`).toString('base64');
        expect(decodeCursor(scope, text)).to.deep.equal({ after, filters: undefined });
      }),
    );
  });

  it('throw ERR_CURSOR_INVALID for any other text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc
        .array(fc.jsonValue())
        .map((value) => Buffer.from(JSON.stringify([1, ...value])).toString('base64url')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          decodeCursor(scope, text);
        } catch (error) {
          expect(isPortolanError(error) && error.code).to.equal('ERR_CURSOR_INVALID');
        }
      }),
    );
  });

  const mine = encodeCursor(scope, { name: 'com.acme/a', version: '1.0.0' }, '');
  const foreign = [
    { title: 'another registry', scope: { ...scope, registry: 'other' }, text: mine },
    { title: 'another entry type', scope: { ...scope, type: 'skill' as const }, text: mine },
    {
      title: 'another format',
      scope,
      text: Buffer.from('[2,"x","server","a/b","1",""]').toString('base64url'),
    },
    { title: 'a name without slash', scope, text: Buffer.from('acme,1.0.0').toString('base64') },
    { title: 'a NUL in the version', scope, text: Buffer.from('a/b,1\u00000').toString('base64') },
    { title: 'an empty version', scope, text: Buffer.from('com.acme/a').toString('base64') },
    {
      title: 'a NUL in a forged cursor',
      scope,
      text: encodeCursor(scope, { name: 'a/b', version: '\u0000' }, ''),
    },
    {
      title: 'bits that no encoder sets',
      scope,
      text: `${Buffer.from('a/b,1.0.00').toString('base64url').slice(0, -1)}x`,
    },
  ];
  for (const { title, text, ...other } of foreign) {
    it(`throw for a cursor of ${title}`, () => {
      expect(() => decodeCursor(other.scope, text))
        .to.throw()
        .with.property('code', 'ERR_CURSOR_INVALID');
    });
  }
});
