import { expect } from 'chai';
import { parseCallArguments, parseFindArguments } from '../../src/search/search-arguments.ts';

describe('parseFindArguments', () => {
  const valid: readonly (readonly [given: unknown, limit: number])[] = [
    [{ query: 'weather' }, 8],
    [{ query: 'weather', limit: 3 }, 3],
    [{ query: 'weather', limit: 500 }, 10],
    [{ query: 'weather', other: true }, 8],
  ];
  for (const [given, limit] of valid) {
    it(`accepts ${JSON.stringify(given)}`, () => {
      expect(parseFindArguments(given)).to.deep.equal({ query: 'weather', limit });
    });
  }

  const invalid: readonly (readonly [given: unknown, fault: string])[] = [
    [undefined, '"query" is missing'],
    [['weather'], '"query" is missing'],
    [{ query: ' ' }, '"query" is an empty text'],
    [{ query: ['weather'] }, '"query" is a list'],
    [{ query: 'weather', limit: 0 }, '"limit" is the number 0'],
    [{ query: 'weather', limit: '3' }, '"limit" is a text'],
    [{ query: 'weather', limit: null }, '"limit" is null'],
    [{ query: 'weather', limit: 2.5 }, '"limit" is the number 2.5'],
    [JSON.parse('{"__proto__":{"query":"weather"}}'), '"query" is missing'],
  ];
  for (const [given, fault] of invalid) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      expect(parseFindArguments(given)).to.have.property('fault').that.includes(fault);
    });
  }
});

describe('parseCallArguments', () => {
  it('accepts a name with and without arguments', () => {
    expect(parseCallArguments({ name: 'a_b' })).to.deep.equal({ name: 'a_b' });
    expect(parseCallArguments({ name: 'a_b', arguments: { x: 1 } })).to.deep.equal({ name: 'a_b' });
  });

  const invalid: readonly (readonly [given: unknown, fault: string])[] = [
    [undefined, '"name" is missing'],
    [{ name: '' }, '"name" is an empty text'],
    [{ name: 7 }, '"name" is the number 7'],
    [{ name: 'a_b', arguments: '{"x":1}' }, '"arguments" is a text; expected an object'],
    [{ name: 'a_b', arguments: [1] }, '"arguments" is a list'],
    [{ name: 'a_b', arguments: null }, '"arguments" is null'],
    [{ name: 'call_tool', arguments: { name: 'a_b' } }, 'call_tool cannot call call_tool'],
    [{ name: 'find_tool' }, 'call_tool cannot call find_tool'],
  ];
  for (const [given, fault] of invalid) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      expect(parseCallArguments(given)).to.have.property('fault').that.includes(fault);
    });
  }
});
