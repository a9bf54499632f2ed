import { expect } from 'chai';
import fc from 'fast-check';
import { parseInteger } from '../src/command-line/flags/flag-types.ts';

describe('parseInteger', () => {
  const numbers: readonly (readonly [text: string, value: number])[] = [
    ['0', 0],
    ['8080', 8080],
    ['+7', 7],
    ['-7', -7],
    ['-0', 0],
    ['0x1f90', 8080],
    ['0X1F90', 8080],
    ['0b101', 5],
    ['0o17', 15],
    ['017', 15],
    ['8_080', 8080],
    ['0x_1f_90', 8080],
  ];
  for (const [text, value] of numbers) {
    it(`parses ${text} as ${value}`, () => {
      expect(parseInteger(text)).to.equal(value);
    });
  }

  for (const text of [
    '',
    ' 1',
    '1 ',
    '1.5',
    '1e3',
    '0x',
    '08',
    '0b2',
    '_1',
    '1_',
    '1__2',
    '--1',
    '９',
    '9007199254740993',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(() => parseInteger(text)).to.throw('expected a whole number');
    });
  }

  it('parses the text form of any integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(parseInteger(String(value))).to.equal(value);
      }),
    );
  });
});
