import { expect } from 'chai';
import { parseHost } from '../../src/parse/listen-host.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseHost', () => {
  const good = [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['FE80::1', 'fe80::1'],
    ['Gateway.Acme.Example', 'gateway.acme.example'],
    ['localhost', 'localhost'],
    ['my_service', 'my_service'],
    ['host.', 'host'],
  ] as const;
  for (const [text, expected] of good) {
    it(`parses ${text}`, () => {
      expect(parseHost(text, '--host')).to.equal(expected);
    });
  }
  for (const text of [
    '',
    '127.0.0.1:80',
    '300.1.1.1',
    '127.1',
    '0x7f.1',
    'http://a',
    'a/b',
    'a b',
    '-a',
    '[::1',
    'a..b',
    '::g',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      expect(await caught(() => parseHost(text, '--host'))).to.have.property('code', 'ERR_HOST');
    });
  }
});
