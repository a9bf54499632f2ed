import { expect } from 'chai';
import { readForwarded } from '../../src/listen/read-forwarded.ts';
import { TrustedProxies } from '../../src/listen/trusted-proxies.ts';

const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
const read = (peer: string, headers: Readonly<Record<string, string>>) =>
  readForwarded(peer, headers, proxies);

describe('readForwarded', () => {
  it('ignores headers of untrusted addresses', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    expect(read('192.0.2.1', headers)).to.equal(undefined);
    expect(readForwarded('127.0.0.1', headers, new TrustedProxies([]))).to.equal(undefined);
    expect(read('127.0.0.1', {})).to.equal(undefined);
  });

  const senders = [
    { title: 'one proxy', peer: '127.0.0.1', for: '203.0.113.9', expected: '203.0.113.9' },
    {
      title: 'a dual-stack listener',
      peer: '::ffff:127.0.0.1',
      for: '203.0.113.9',
      expected: '203.0.113.9',
    },
    { title: 'a proxy with an IPv6 address', peer: 'fd00::7', for: '2001:db8::1', expected: '2001:db8::1' },
    { title: 'a chain of proxies', peer: '127.0.0.1', for: '203.0.113.9, 10.1.2.3', expected: '203.0.113.9' },
    {
      title: 'values that the client wrote first',
      peer: '127.0.0.1',
      for: '1.1.1.1, 203.0.113.9',
      expected: '203.0.113.9',
    },
    {
      title: 'a forged trusted hop',
      peer: '127.0.0.1',
      for: '1.1.1.1, 10.9.9.9, 203.0.113.9',
      expected: '203.0.113.9',
    },
    { title: 'an address with a port', peer: '127.0.0.1', for: '203.0.113.9:4711', expected: '203.0.113.9' },
    {
      title: 'an IPv6 address with a port',
      peer: '127.0.0.1',
      for: '[2001:db8::1]:4711',
      expected: '2001:db8::1',
    },
    { title: 'an obfuscated identifier', peer: '127.0.0.1', for: 'unknown', expected: '127.0.0.1' },
    { title: 'trusted addresses only', peer: '127.0.0.1', for: '10.1.1.1', expected: '10.1.1.1' },
  ];
  for (const { title, peer, for: given, expected } of senders) {
    it(`returns the client address: ${title}`, () => {
      expect(read(peer, { 'x-forwarded-for': given })?.address).to.equal(expected);
    });
  }

  const addresses = [
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'acme.example' }, 'https', 'acme.example', ''],
    [{ 'x-forwarded-host': 'acme.example', 'x-forwarded-port': '8443' }, undefined, 'acme.example:8443', ''],
    [
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'acme.example', 'x-forwarded-port': '443' },
      'https',
      'acme.example',
      '',
    ],
    [{ 'x-forwarded-host': 'acme.example:9', 'x-forwarded-port': '8443' }, undefined, 'acme.example:9', ''],
    [{ 'x-forwarded-host': 'acme.example', 'x-forwarded-port': '99999' }, undefined, 'acme.example', ''],
    [{ 'x-forwarded-prefix': '/mcp-registry/' }, undefined, undefined, '/mcp-registry'],
    [{ 'x-forwarded-prefix': '//evil.example' }, undefined, undefined, ''],
    [{ 'x-forwarded-prefix': '/a/../b' }, undefined, undefined, ''],
    [{ 'x-forwarded-prefix': 'https://evil.example' }, undefined, undefined, ''],
    [{ 'x-forwarded-host': 'evil.example/"><script>' }, undefined, undefined, ''],
    [{ 'x-forwarded-proto': 'gopher' }, undefined, undefined, ''],
    [{ forwarded: 'for=203.0.113.9;proto=https;host="acme.example:8443"' }, 'https', 'acme.example:8443', ''],
  ] as const;
  for (const [headers, scheme, host, prefix] of addresses) {
    it(`returns the public address of the request: ${JSON.stringify(headers)}`, () => {
      const found = read('127.0.0.1', headers);
      expect({ scheme: found?.scheme, host: found?.host, prefix: found?.prefix }).to.deep.equal({
        scheme,
        host,
        prefix,
      });
    });
  }

  it('parses Forwarded (RFC 7239) from its end, like the other headers', () => {
    const forwarded =
      'for=1.1.1.1;host=evil.example, for="[2001:db8::1]:4711";proto=https;host=acme.example, for=10.1.1.1';
    expect(read('127.0.0.1', { forwarded })).to.deep.equal({
      address: '2001:db8::1',
      scheme: 'https',
      host: 'acme.example',
      prefix: '',
    });
  });

  it('parses the part of the proxy after unclosed quotes of the client', () => {
    const added = 'for=203.0.113.9;host=acme.example';
    for (const sent of ['for="', 'for="a\\", for=b', 'for="a", "b'])
      expect(read('127.0.0.1', { forwarded: `${sent}, ${added}` }), sent).to.include({
        address: '203.0.113.9',
        host: 'acme.example',
      });
  });

  it('parses a long header in linear time', () => {
    for (const piece of ['a', '"\\', '\\"', 'a="', 'a ', ' '])
      expect(read('127.0.0.1', { forwarded: piece.repeat(400_000) }), piece).to.include({
        address: '127.0.0.1',
      });
  });

  it('ignores both kinds of header when both are present, because a proxy passes on the kind that it does not write', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.7' };
    expect(read('127.0.0.1', headers)).to.equal(undefined);
  });
});
