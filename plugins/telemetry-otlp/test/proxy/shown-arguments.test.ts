import { spanName } from '../../src/proxy/span-attributes.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { cutBytes, showArguments } from '../../src/proxy/shown-arguments.ts';

describe('showArguments', () => {
  const table: readonly (readonly [given: Record<string, unknown>, shown: string])[] = [
    [{}, ''],
    [{ city: 'Oslo', days: 3, deep: { a: [1] } }, 'city=Oslo, days=3, deep={"a":[1]}'],
    [{ none: null, gone: undefined }, 'none=null, gone=undefined'],
    [{ deep: { password: 'hunter2', a: 1 } }, 'deep={"password":"[REDACTED]","a":1}'],
    [{ long: 'x'.repeat(150) }, `long=${'x'.repeat(97)}...`],
  ];
  for (const [given, shown] of table) {
    it(`returns ${JSON.stringify(shown).slice(0, 40)} for ${JSON.stringify(given).slice(0, 60)}`, () =>
      expect(showArguments(given)).to.equal(shown));
  }

  const SECRET = 'password token secret key auth credential api_key access_token refresh_token private'.split(
    ' ',
  );
  for (const name of SECRET) {
    it(`redacts ${name}, and names that contain it`, () => {
      for (const key of [name, name.toUpperCase(), `my_${name}_2`]) {
        expect(showArguments({ [key]: 'hunter2' })).to.equal(`${key}=[REDACTED]`);
      }
    });
  }

  it('returns at most 200 characters, and splits no character', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (given) => {
        const shown = showArguments(given);
        expect(shown.length).to.be.at.most(200);
        expect(shown.isWellFormed()).to.equal(true);
      }),
    );
  });
});

describe('cutBytes', () => {
  it('splits no character, and marks the cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const cut = cutBytes(text, 128);
        expect(Buffer.byteLength(cut)).to.be.at.most(128);
        expect(cut.isWellFormed()).to.equal(true);
        if (Buffer.byteLength(text.toWellFormed()) > 128) expect(cut.endsWith('...')).to.equal(true);
      }),
    );
    expect(cutBytes('ä'.repeat(100), 128)).to.equal(`${'ä'.repeat(62)}...`);
  });
});

describe('span names', () => {
  it('are truncated, because clients choose methods and targets', () => {
    expect(spanName('tools/call', 'forecast')).to.equal('tools/call forecast');
    expect(spanName('ping')).to.equal('ping');
    for (const name of [
      spanName('x'.repeat(1_000_000)),
      spanName('tools/call', '\u{1F511}'.repeat(1_000_000)),
    ]) {
      expect(name).to.have.lengthOf.at.most(256);
      expect(name.isWellFormed()).to.equal(true);
    }
  });
});
