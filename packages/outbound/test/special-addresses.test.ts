import { expect } from 'chai';
import { readIpAddress } from '../src/ip-address.ts';
import { isPublicAddress } from '../src/address-rules.ts';
import { isSpecial, isUnroutable, SPECIAL_RANGES } from '../src/special-addresses.ts';

type Verdict = 'public' | 'of the network' | 'unroutable';

/** First and last of each block of IANA's registries that is not reachable globally, what stands beside it, and what the registries leave open. */
const CASES: readonly (readonly [verdict: Verdict, source: string, ...addresses: readonly string[]])[] = [
  ['unroutable', 'RFC 791: this network', '0.0.0.0', '0.255.255.255'],
  ['public', 'beside it', '1.0.0.0', '9.255.255.255', '11.0.0.0'],
  ['of the network', 'RFC 1918: private use', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255'],
  ['of the network', 'RFC 1918: private use', '192.168.0.0', '192.168.255.255'],
  ['public', 'beside it', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ['of the network', 'RFC 6598: shared', '100.64.0.0', '100.127.255.255'],
  ['public', 'beside it', '100.63.255.255', '100.128.0.0'],
  ['unroutable', 'RFC 1122: loopback', '127.0.0.0', '127.255.255.255'],
  ['unroutable', 'RFC 3927: link-local', '169.254.0.0', '169.254.255.255'],
  [
    'of the network',
    'RFC 6890: protocol assignments',
    '192.0.0.0',
    '192.0.0.9',
    '192.0.0.170',
    '192.0.0.255',
  ],
  ['of the network', 'RFC 5737: documentation', '192.0.2.0', '198.51.100.255', '203.0.113.7'],
  ['of the network', 'RFC 7526: 6to4 relays', '192.88.99.1'],
  ['of the network', 'RFC 2544: benchmarks', '198.18.0.0', '198.19.255.255'],
  ['unroutable', 'RFC 5771: multicast', '224.0.0.1', '239.255.255.255'],
  ['unroutable', 'RFC 1112: reserved, broadcast', '240.0.0.0', '255.255.255.255'],
  ['unroutable', 'RFC 4291: unspecified, loopback', '::', '::1'],
  ['unroutable', 'RFC 4291: IPv4-compatible, whatever is inside', '::8.8.8.8', '::10.0.0.1', '::127.0.0.1'],
  ['public', 'RFC 4291: mapped, as what is inside', '::ffff:8.8.8.8', '::ffff:808:808'],
  ['of the network', 'RFC 4291: mapped, as what is inside', '::ffff:10.0.0.1'],
  ['unroutable', 'RFC 4291: mapped, as what is inside', '::ffff:127.0.0.1'],
  ['unroutable', 'RFC 4380: Teredo, whatever is inside', '2001::1', '2001:0:808:808::f7f7:f7f7'],
  ['unroutable', 'RFC 4380: Teredo, whatever is inside', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['public', 'RFC 6052: NAT64', '64:ff9b::8.8.8.8'],
  ['of the network', 'RFC 8215: local NAT64', '64:ff9b:1::8.8.8.8'],
  ['public', 'RFC 3056: 6to4', '2002:808:808::1'],
  ['of the network', 'RFC 6666: discard only', '100::', '100::1'],
  [
    'of the network',
    'RFC 2928: protocol assignments',
    '2001:1::1',
    '2001:2::',
    '2001:20::1',
    '2001:1ff:ffff::',
  ],
  ['public', 'beside it', '2001:200::', '2001:4860:4860::8888', '2606:4700:4700::1111'],
  ['of the network', 'RFC 3849, RFC 9637: documentation', '2001:db8::', '3fff::', '3fff:fff::1'],
  ['public', 'beside it', '3fff:1000::1', '2001:db7::1'],
  ['of the network', 'RFC 9602: segment routing', '5f00::1'],
  ['of the network', 'RFC 4193: unique local', 'fc00::1', 'fdff::1'],
  ['unroutable', 'RFC 4291: link-local', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  ['of the network', 'RFC 3879: site-local', 'fec0::1'],
  ['unroutable', 'RFC 4291: multicast', 'ff02::1', 'ffff::'],
];

describe('SPECIAL_RANGES', () => {
  for (const [verdict, source, ...addresses] of CASES) {
    for (const written of addresses) {
      it(`lists ${written} as ${verdict} (${source})`, () => {
        const address = readIpAddress(written);
        if (address === undefined) throw new TypeError(`${written} is no address`);
        expect(isPublicAddress(written)).to.equal(verdict === 'public');
        expect(isUnroutable(address)).to.equal(verdict === 'unroutable');
        expect(isSpecial(address)).to.equal(verdict !== 'public');
      });
    }
  }

  it('identifies each range by its first address, with its source', () => {
    for (const { range, source } of SPECIAL_RANGES) {
      expect(isPublicAddress(range.split('/')[0] ?? ''), range).to.equal(false);
      expect(source, range).to.match(/^RFC \d+/);
    }
  });
});
