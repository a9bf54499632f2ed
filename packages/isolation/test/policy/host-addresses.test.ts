import { expect } from 'chai';
import { parseFibTrie, parseIpv6Routes, readHostAddresses } from '../../src/policy/host-addresses.ts';

describe('parseFibTrie', () => {
  it('returns addresses of links without a carrier, and whole local ranges', () => {
    const text = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 172.17.0.0
        /16 link UNICAST
     |-- 172.17.0.1
        /32 host LOCAL
`;
    expect(parseFibTrie(text)).to.deep.equal(['127.0.0.0/8', '172.17.0.1/32']);
  });
});

describe('parseIpv6Routes', () => {
  it('returns local and anycast routes', () => {
    const route = (destination: string, length: string, flags: string): string =>
      `${destination} ${length} ${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00000000 00000001 00000000 ${flags}       lo`;
    const text = [
      route(`${'0'.repeat(31)}1`, '80', '80200001'),
      route('20010db8000000000000000000000007', '80', '80200001'),
      route('20010db8000000000000000000000000', '40', '00000001'),
      route('20010db8000000000000000000000000', '80', '00100001'),
      '',
    ].join('\n');
    expect(parseIpv6Routes(text)).to.deep.equal([
      '0000:0000:0000:0000:0000:0000:0000:0001/128',
      '2001:0db8:0000:0000:0000:0000:0000:0007/128',
      '2001:0db8:0000:0000:0000:0000:0000:0000/128',
    ]);
  });
});

describe('readHostAddresses', () => {
  it('returns the loopback addresses too', async () => {
    expect((await readHostAddresses()).join(' ')).to.include('127.0.0.');
  });
});
