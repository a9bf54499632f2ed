import { expect } from 'chai';
import { readHostProxies } from '../src/host-proxies.ts';

describe('readHostProxies', () => {
  const both = {
    https_proxy: 'http://proxy.acme.example:3128',
    http_proxy: 'http://plain.acme.example:8080',
  };

  function proxyOf(environment: Readonly<Record<string, string>>, target: string): string | undefined {
    return readHostProxies(environment)?.(new URL(target))?.host;
  }

  it('returns no proxies without variables, or with empty ones', () => {
    expect(readHostProxies({})).to.equal(undefined);
    expect(readHostProxies({ HTTPS_PROXY: '', http_proxy: '', NO_PROXY: '*' })).to.equal(undefined);
  });

  for (const { title, environment, target, proxy } of [
    {
      title: 'https_proxy applies to https',
      environment: both,
      target: 'https://a.example/',
      proxy: 'proxy.acme.example:3128',
    },
    {
      title: 'http_proxy applies to http',
      environment: both,
      target: 'http://a.example/',
      proxy: 'plain.acme.example:8080',
    },
    {
      title: 'lower-case variables take precedence',
      environment: { https_proxy: 'http://one.example', HTTPS_PROXY: 'http://two.example' },
      target: 'https://a.example/',
      proxy: 'one.example',
    },
    {
      title: 'all_proxy applies to both',
      environment: { ALL_PROXY: 'one.example:3128' },
      target: 'http://a.example/',
      proxy: 'one.example:3128',
    },
    {
      title: 'http_proxy does not apply to https',
      environment: { http_proxy: 'http://one.example' },
      target: 'https://a.example/',
      proxy: undefined,
    },
  ]) {
    it(`returns the proxy when ${title}`, () => {
      expect(proxyOf(environment, target)).to.equal(proxy);
    });
  }

  for (const { exempt, target, past } of [
    { exempt: '', target: 'https://localhost:1/', past: true },
    { exempt: '', target: 'https://a.localhost/', past: true },
    { exempt: '', target: 'https://127.9.9.9/', past: true },
    { exempt: '', target: 'https://[::1]:8443/', past: true },
    { exempt: '*', target: 'https://a.example/', past: true },
    { exempt: 'acme.example', target: 'https://acme.example/', past: true },
    { exempt: 'acme.example', target: 'https://deep.in.ACME.example./', past: true },
    { exempt: '.acme.example, other.example', target: 'https://a.acme.example/', past: true },
    { exempt: '*.acme.example', target: 'https://a.acme.example/', past: true },
    { exempt: 'acme.example', target: 'https://notacme.example/', past: false },
    { exempt: 'acme.example:8443', target: 'https://acme.example/', past: false },
    { exempt: 'acme.example:443', target: 'https://acme.example/', past: true },
    { exempt: '10.0.0.0/8', target: 'https://10.20.30.40/', past: true },
    { exempt: '10.0.0.0/8', target: 'https://11.0.0.1/', past: false },
    { exempt: '10.1.2.3', target: 'https://10.1.2.3:9/', past: true },
    { exempt: '2', target: 'https://1.1.1.2/', past: false },
    { exempt: 'fd00::/8', target: 'https://[fd12::1]/', past: true },
    { exempt: '[fd12::1]:443', target: 'https://[fd12::1]/', past: true },
    { exempt: '10.0.0.0/99, /8', target: 'https://10.0.0.1/', past: false },
  ]) {
    it(`routes ${target} ${past ? 'past the proxy' : 'through it'} with NO_PROXY "${exempt}"`, () => {
      expect(proxyOf({ ...both, NO_PROXY: exempt }, target) === undefined).to.equal(past);
    });
  }

  it('ignores an empty variable in favor of the other spelling', () => {
    const environment = {
      https_proxy: '',
      HTTPS_PROXY: 'http://one.example',
      no_proxy: '',
      NO_PROXY: 'a.example',
    };
    expect(proxyOf(environment, 'https://b.example/')).to.equal('one.example');
    expect(proxyOf(environment, 'https://a.example/')).to.equal(undefined);
  });

  for (const value of ['socks5://one.example', 'http://', 'http://[']) {
    it(`refuses ${value} without showing it`, () => {
      expect(() => readHostProxies({ HTTPS_PROXY: value }))
        .to.throw('The variable HTTPS_PROXY contains no HTTP proxy address')
        .with.property('code', 'ERR_PROXY_INVALID');
    });
  }
});
