import { expect } from 'chai';
import { AddressRanges, readIpAddress } from '@portolan/outbound';
import { refuseAddress } from '../../src/policy/decide-address.ts';

describe('refuseAddress', () => {
  const named = new AddressRanges(['172.18.0.5', '127.0.0.0/8', '192.0.2.2', '169.254.0.0/16']);
  const context = {
    thisHost: new AddressRanges(['192.0.2.2', '172.18.0.1/32', 'fd00::2']),
    containerNetworks: new AddressRanges(['172.18.0.0/16', 'fd18::/64']),
    isNamed: named.has.bind(named),
  };
  const special = 'address-special';
  const metadata = 'address-metadata';
  const host = 'address-this-host';
  const container = 'address-container-network';
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['203.0.113.7', undefined],
    ['10.0.0.1', undefined],
    ['2001:db8::7', undefined],
    ['0.0.0.0', special],
    ['0.1.2.3', special],
    ['127.0.0.1', special],
    ['127.80.0.1', special],
    ['169.254.1.1', special],
    ['224.0.0.1', special],
    ['240.0.0.1', special],
    ['255.255.255.255', special],
    ['::', special],
    ['::1', special],
    ['fe80::1', special],
    ['ff02::1', special],
    ['::ffff:127.0.0.1', special],
    ['::127.0.0.1', special],
    ['::11.0.0.1', special],
    ['2001:0:b00:1::f4ff:fffe', special],
    ['64:ff9b::11.0.0.1', undefined],
    ['64:ff9b:1::10.0.0.1', undefined],
    ['2002:b00:1::1', undefined],
    ['64:ff9b::127.0.0.1', special],
    ['2002:7f00:1::', special],
    ['169.254.169.254', metadata],
    ['64:ff9b::169.254.169.254', metadata],
    ['100.100.100.200', metadata],
    ['168.63.129.16', metadata],
    ['192.0.0.192', metadata],
    ['fd00:ec2::254', metadata],
    ['192.0.2.2', host],
    ['172.18.0.1', host],
    ['fd00::2', host],
    ['2002:c000:202::1', host],
    ['172.18.0.9', container],
    ['fd18::9', container],
    ['64:ff9b::172.18.0.9', container],
    ['172.18.0.5', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`returns ${expected ?? 'nothing against'} ${written}`, () => {
      const address = readIpAddress(written);
      expect(address && refuseAddress(address, context)).to.equal(expected);
    });
  }
});
