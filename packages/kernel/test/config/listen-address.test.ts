import { expect } from 'chai';
import { addressesCollide, parseListenAddress } from '../../src/config/listen-address.ts';

describe('parseListenAddress', () => {
  const cases = [
    { text: '127.0.0.1:8080', expected: { host: '127.0.0.1', port: 8080 } },
    { text: 'localhost:1', expected: { host: '127.0.0.1', port: 1 } },
    { text: 'LocalHost:1', expected: { host: '127.0.0.1', port: 1 } },
    { text: ':8080', expected: { host: '', port: 8080 } },
    { text: '0.0.0.0:0', expected: { host: '0.0.0.0', port: 0 } },
    { text: 'db.acme.example:65535', expected: { host: 'db.acme.example', port: 65535 } },
    { text: '[::1]:80', expected: { host: '::1', port: 80 } },
    { text: '[::]:80', expected: { host: '::', port: 80 } },
  ];
  for (const { text, expected } of cases) {
    it(`parses ${text}`, () => {
      expect(parseListenAddress(text)).to.deep.equal(expected);
    });
  }

  for (const text of [
    '',
    '8080',
    'localhost',
    '::1:80',
    '[x]:80',
    '[::1]',
    'a b:80',
    'a:65536',
    'a:-1',
    'http://a:80',
    'a:80/',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(parseListenAddress(text)).to.equal(undefined);
    });
  }
});

describe('addressesCollide', () => {
  const cases = [
    { one: '127.0.0.1:80', other: '127.0.0.1:80', expected: true },
    { one: 'localhost:80', other: '127.0.0.1:80', expected: true },
    { one: ':80', other: '127.0.0.1:80', expected: true },
    { one: '127.0.0.1:80', other: '[::]:80', expected: true },
    { one: '127.0.0.1:80', other: '127.0.0.2:80', expected: false },
    { one: '127.0.0.1:80', other: '127.0.0.1:81', expected: false },
    { one: ':0', other: ':0', expected: false },
  ];
  for (const { one, other, expected } of cases) {
    it(`returns ${expected} for ${one} and ${other}`, () => {
      const [left, right] = [parseListenAddress(one), parseListenAddress(other)];
      expect(left !== undefined && right !== undefined && addressesCollide(left, right)).to.equal(expected);
    });
  }
});
