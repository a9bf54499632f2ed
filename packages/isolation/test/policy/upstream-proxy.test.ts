import { expect } from 'chai';
import { parseAuthority } from '@portolan/outbound';
import { readUpstreamProxies } from '../../src/policy/upstream-proxy.ts';

describe('readUpstreamProxies', () => {
  it('prefers lowercase names, and falls back to ALL_PROXY', () => {
    const { secure, plain } = readUpstreamProxies({
      https_proxy: 'a.example:1',
      HTTPS_PROXY: 'http://b.example',
      ALL_PROXY: 'https://c.example',
    });
    expect(secure?.href).to.equal('http://a.example:1/');
    expect(plain?.href).to.equal('https://c.example/');
    expect(readUpstreamProxies({ https_proxy: '' }).secure).to.equal(undefined);
  });

  for (const value of ['socks5://a.example', 'http://', 'ftp://me:secret@a.example']) {
    it(`rejects ${value} without repeating it`, () => {
      expect(() => readUpstreamProxies({ HTTPS_PROXY: value }))
        .to.throw('HTTPS_PROXY names no HTTP proxy')
        .with.property('code', 'ERR_PROXY_INVALID');
    });
  }

  const cases: readonly (readonly [string, string, boolean])[] = [
    ['*', 'a.example:443', true],
    ['acme.example', 'acme.example:443', true],
    ['acme.example', 'api.acme.example:443', true],
    ['.acme.example', 'acme.example:443', true],
    ['*.acme.example', 'api.acme.example:443', true],
    ['acme.example', 'evilacme.example:443', false],
    ['acme.example:8443', 'acme.example:443', false],
    ['acme.example:8443', 'acme.example:8443', true],
    ['10.0.0.0/8, 192.0.2.7', '10.1.1.1:80', true],
    ['10.0.0.0/8 192.0.2.7', '192.0.2.7:80', true],
    ['::1,2001:db8::/32', '[2001:db8::7]:80', true],
    ['192.0.2.7:80', '192.0.2.7:80', true],
    ['', 'a.example:443', false],
    ['???', 'a.example:443', false],
  ];
  for (const [list, written, expected] of cases) {
    it(`${expected ? 'bypasses' : 'uses'} the proxy for ${written} with "${list}"`, () => {
      const target = parseAuthority(written);
      expect(target && readUpstreamProxies({ NO_PROXY: list }).isExempt(target)).to.equal(expected);
    });
  }
});
