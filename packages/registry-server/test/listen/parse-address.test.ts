import { expect } from 'chai';
import { parseAddress } from '../../src/listen/open-listener.ts';

describe('parseAddress', () => {
  const good = [
    { text: '127.0.0.1:8080', expected: { host: '127.0.0.1', port: 8080 } },
    { text: ':8080', expected: { host: undefined, port: 8080 } },
    { text: 'localhost:0', expected: { host: '127.0.0.1', port: 0 } },
    { text: 'registry.acme.example:65535', expected: { host: 'registry.acme.example', port: 65_535 } },
    { text: '[::1]:8080', expected: { host: '::1', port: 8080 } },
    { text: '[fe80::1%eth0]:80', expected: { host: 'fe80::1%eth0', port: 80 } },
  ];
  for (const { text, expected } of good) {
    it(`parses ${text}`, () => {
      expect(parseAddress(text)).to.deep.equal(expected);
    });
  }

  for (const text of [
    '',
    '8080',
    'host',
    'host:',
    'host:http',
    'host:65536',
    '::1:8080',
    '[::1]',
    'a b:80',
    'host:-1',
  ]) {
    it(`throws for "${text}"`, () => {
      expect(() => parseAddress(text))
        .to.throw()
        .with.property('code', 'ERR_BAD_ARGUMENT');
    });
  }
});
