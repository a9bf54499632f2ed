import { expect } from 'chai';
import fc from 'fast-check';
import { isPublicAddress } from '../src/address-rules.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

const NOT_PUBLIC = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:10.1.2.3',
  '0:0:0:0:0:ffff:c0a8:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::808:808',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:101::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
  '127.1',
  '2130706433',
];

describe('isPublicAddress', () => {
  for (const address of PUBLIC) {
    it(`returns true for ${address}`, () => {
      expect(isPublicAddress(address)).to.equal(true);
    });
  }
  for (const address of NOT_PUBLIC) {
    it(`returns false for "${address}"`, () => {
      expect(isPublicAddress(address)).to.equal(false);
    });
  }

  it('treats an address embedded in IPv6 like the address itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const expected = isPublicAddress(address);
        expect(isPublicAddress(`::ffff:${address}`)).to.equal(expected);
        expect(isPublicAddress(`64:ff9b::${address}`)).to.equal(expected);
      }),
    );
  });

  it('returns a result for every IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.split(':')[0] || '0', 16);
        const outside = first < 0x2000 || first > 0x3fff;
        if (outside && !/^(?:0*64:0*ff9b|[0:]*:ffff:)/i.test(address)) {
          expect(isPublicAddress(address)).to.equal(false);
        } else {
          expect(isPublicAddress(address)).to.be.a('boolean');
        }
      }),
    );
  });
});
