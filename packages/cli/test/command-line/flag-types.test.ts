import { Parser } from '@oclif/core';
import { expect } from 'chai';
import { float, parseDecimal, strings } from '../../src/command-line/flags/flag-types.ts';

describe('flag types for lists and numbers', () => {
  it('split lists at commas, trim values, and append values of a repeated flag', async () => {
    const flags = { scopes: strings({ description: 'scopes' }) };
    const { flags: given } = await Parser.parse(['--scopes', 'openid, profile', '--scopes=email'], { flags });
    expect(given.scopes).to.deep.equal(['openid', 'profile', 'email']);
  });

  it('parse decimal numbers', async () => {
    const { flags } = await Parser.parse(['--rate', '0.25'], {
      flags: { rate: float({ description: 'rate' }) },
    });
    expect(flags.rate).to.equal(0.25);
  });

  for (const [text, number] of [
    ['0', 0],
    ['1e-3', 0.001],
    ['.5', 0.5],
    ['-2.', -2],
  ] as const) {
    it(`parse ${text}`, () => expect(parseDecimal(text)).to.equal(number));
  }

  for (const text of ['', ' 1', 'NaN', 'Infinity', '1e999', '0x10', '1,5']) {
    it(`reject ${JSON.stringify(text)}`, () => {
      expect(() => parseDecimal(text)).to.throw(/expected a number/);
    });
  }
});
