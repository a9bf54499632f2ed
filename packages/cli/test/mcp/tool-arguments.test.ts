import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readArguments } from '../../src/mcp/tool-arguments.ts';

const PROPERTIES = {
  city: { type: 'string' },
  days: { type: 'integer' },
  warm: { type: 'boolean' },
  tags: { type: 'array' },
  either: { type: ['string', 'integer'] },
  unit: { enum: ['c', 'f'] },
};

describe('readArguments', () => {
  const cases: readonly (readonly [words: readonly string[], json: string | undefined, expected: object])[] =
    [
      [[], undefined, {}],
      [['city=12', 'days=3', 'warm=true'], undefined, { city: '12', days: 3, warm: true }],
      [['city=a=b c', 'unit=c'], undefined, { city: 'a=b c', unit: 'c' }],
      [['city='], undefined, { city: '' }],
      [['tags=["a","b"]'], undefined, { tags: ['a', 'b'] }],
      [['either=7'], undefined, { either: 7 }],
      [['either=seven'], undefined, { either: 'seven' }],
      [['either=true'], undefined, { either: 'true' }],
      [['other=7', 'more=x'], undefined, { other: 7, more: 'x' }],
      [['days=3'], '{"city": "Bergen"}', { city: 'Bergen', days: 3 }],
    ];
  for (const [words, json, expected] of cases) {
    it(`parses ${JSON.stringify([...words, ...(json === undefined ? [] : [json])])}`, () => {
      expect(readArguments(words, json, PROPERTIES)).to.deep.equal(expected);
    });
  }

  const refused: readonly (readonly [words: readonly string[], json: string | undefined, said: string])[] = [
    [['days=three'], undefined, 'expected integer, as JSON'],
    [['city'], undefined, 'expected KEY=VALUE'],
    [['=x'], undefined, 'expected KEY=VALUE'],
    [['city=a', 'city=b'], undefined, 'given twice'],
    [['city=a'], '{"city": "b"}', 'given twice'],
    [[], '[1]', 'expected a JSON object'],
    [[], '{', '--args: '],
  ];
  for (const [words, json, said] of refused) {
    it(`rejects ${JSON.stringify([...words, ...(json === undefined ? [] : [json])])}`, () => {
      const read = (): unknown => readArguments(words, json, PROPERTIES);
      expect(read).to.throw(said);
      expect(read).to.satisfy((one: () => unknown) => caught(one) === 'ERR_BAD_ARGUMENT');
    });
  }

  it('sets a key that objects inherit as an own property', () => {
    const given = readArguments(['__proto__={"a":1}'], undefined, PROPERTIES);
    expect(Object.keys(given)).to.deep.equal(['__proto__']);
    expect(Object.getPrototypeOf(given)).to.equal(Object.prototype);
  });
});

function caught(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return isPortolanError(error) ? error.code : undefined;
  }
}
