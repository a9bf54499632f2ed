import { expect } from 'chai';
import fc from 'fast-check';
import { AddressRanges, listEmbedded, readIpAddress } from '../src/ip-address.ts';

describe('readIpAddress', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['10.1.2.3', '10.1.2.3'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:0a01:0203', '10.1.2.3'],
    ['fe80::1%eth0', 'fe80::1'],
    ['10.1.2', undefined],
    ['010.1.2.3', undefined],
    ['acme.example', undefined],
    ['', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`parses "${written}" as ${expected}`, () => {
      expect(readIpAddress(written)?.text).to.equal(expected);
    });
  }

  it('writes every address in a single form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (written) => {
        const read = readIpAddress(written);
        expect(readIpAddress(read?.text ?? '')).to.deep.equal(read);
      }),
    );
  });
});

describe('listEmbedded', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['64:ff9b::169.254.169.254', ['169.254.169.254']],
    ['64:ff9b:1::10.0.0.1', ['10.0.0.1']],
    ['2002:7f00:1::1', ['127.0.0.1']],
    ['::127.0.0.1', ['127.0.0.1']],
    ['2001:0:c000:201::80ff:fffe', ['192.0.2.1', '127.0.0.1']],
    ['2001:db8::7', []],
    ['10.0.0.1', []],
  ];
  for (const [written, expected] of cases) {
    it(`returns ${expected.join(', ') || 'nothing'} for ${written}`, () => {
      const address = readIpAddress(written);
      expect(address && listEmbedded(address).map(({ text }) => text)).to.deep.equal(expected);
    });
  }
});

describe('AddressRanges', () => {
  const ranges = new AddressRanges(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::ffff:172.18.0.0/112', '::1']);
  const cases: readonly (readonly [string, boolean])[] = [
    ['10.255.0.1', true],
    ['11.0.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fdff::1', true],
    ['fe00::1', false],
    ['::ffff:10.0.0.1', true],
    ['172.18.9.9', true],
    ['172.19.0.1', false],
    ['::1', true],
    ['::2', false],
  ];
  for (const [written, expected] of cases) {
    it(`${expected ? 'contains' : 'does not contain'} ${written}`, () => {
      const address = readIpAddress(written);
      expect(address && ranges.has(address)).to.equal(expected);
    });
  }

  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'acme',
    '::ffff:10.0.0.0/64',
    '/8',
  ]) {
    it(`refuses "${wrong}"`, () => {
      expect(() => new AddressRanges([wrong])).to.throw(TypeError, wrong);
    });
  }
});
