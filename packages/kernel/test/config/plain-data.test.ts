import { expect } from 'chai';
import fc from 'fast-check';
import { copyPlainData } from '../../src/config/plain-data.ts';

describe('copyPlainData', () => {
  const around: Record<string, unknown> = {};
  around['self'] = around;
  const cases: readonly { title: string; given: unknown; place: string; found: string }[] = [
    { title: 'a function', given: { a: () => 1 }, place: 'a', found: 'a function' },
    { title: 'a date', given: { a: [new Date()] }, place: 'a[0]', found: 'a Date' },
    { title: 'a big integer', given: { a: 1n }, place: 'a', found: 'a bigint' },
    {
      title: 'a circular map',
      given: around,
      place: 'self',
      found: 'something that contains itself',
    },
    {
      title: 'a key __proto__',
      given: JSON.parse('{"a":{"__proto__":{"x":1}}}'),
      place: 'a.__proto__',
      found: 'a key that is not allowed',
    },
    {
      title: 'a map with a prototype',
      given: { a: { __proto__: { x: 1 } } },
      place: 'a',
      found: 'a map with a prototype',
    },
    { title: 'a function as the whole value', given: () => ({}), place: '(root)', found: 'a function' },
  ];
  for (const { title, given, place, found } of cases) {
    it(`reports ${title} and omits it`, () => {
      const { value, problems } = copyPlainData(given);
      expect(problems).to.deep.equal([
        { place, found, expected: place.endsWith('__proto__') ? 'another name' : 'plain data' },
      ]);
      expect(({} as { x?: number }).x).to.equal(undefined);
      expect(JSON.stringify(value) ?? '').not.to.include('x');
    });
  }

  it('treats an undefined key as absent, and keeps null', () => {
    expect(copyPlainData({ a: undefined, b: null }).value).to.deep.equal({ b: null });
  });

  it('copies any JSON value without shared parts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (given) => {
        fc.pre(!JSON.stringify(given).includes('__proto__'));
        const { value, problems } = copyPlainData(given);
        expect(problems).to.deep.equal([]);
        expect(JSON.stringify(value)).to.equal(JSON.stringify(given));
      }),
    );
  });

  it('copies a value twice that a YAML alias shares', () => {
    const shared = { x: 1 };
    const { value } = copyPlainData({ a: shared, b: shared });
    const { a, b } = value as { a: object; b: object }; // copied from the line above
    expect(a).to.deep.equal(b);
    expect(a).not.to.equal(b);
  });
});
