import { expect } from 'chai';
import { parseAuthority } from '../../src/egress/egress-host.ts';
import {
  decideHost,
  listDirectPorts,
  type NetworkPermissions,
  readEgressRules,
} from '../../src/egress/egress-rules.ts';

const outbound = (allow_host: readonly string[], allow_port: readonly number[] = []): NetworkPermissions => ({
  outbound: { allow_host, allow_port },
});

describe('decideHost', () => {
  const all = 'insecure_allow_all';
  const cases: readonly (readonly [string, NetworkPermissions | undefined, string, string])[] = [
    ['no network part', undefined, 'x.example:1', all],
    ['a network part without outbound', {}, 'x.example:443', 'nothing-allowed'],
    ['an empty outbound', { outbound: {} }, 'x.example:443', 'nothing-allowed'],
    ['insecure_allow_all', { outbound: { insecure_allow_all: true } }, 'x.example:25', all],
    [
      'insecure_allow_all beside a list',
      { outbound: { insecure_allow_all: true, allow_host: ['y.example'] } },
      'x.example:1',
      all,
    ],
    ['an exact name', outbound(['API.acme.example.']), 'api.acme.example:9', 'API.acme.example.'],
    [
      'an exact name and its subdomain',
      outbound(['acme.example']),
      'api.acme.example:443',
      'host-not-allowed',
    ],
    ['a suffix and its apex', outbound(['.acme.example']), 'acme.example:443', '.acme.example'],
    ['a suffix and a subdomain', outbound(['.acme.example']), 'a.b.acme.example:443', '.acme.example'],
    [
      'a suffix and a name that ends alike',
      outbound(['.acme.example']),
      'evilacme.example:443',
      'host-not-allowed',
    ],
    ['host and port', outbound(['acme.example'], [443]), 'acme.example:443', 'acme.example'],
    ['host and another port', outbound(['acme.example'], [443]), 'acme.example:8443', 'port-not-allowed'],
    ['port and another host', outbound(['acme.example'], [443]), 'x.example:443', 'host-not-allowed'],
    ['ports only', outbound([], [443]), 'x.example:443', 'allow_port'],
    ['ports only, another', outbound([], [443]), 'x.example:80', 'port-not-allowed'],
    ['an address', outbound(['192.0.2.7']), '0xc0000207:80', '192.0.2.7'],
    ['an address in octal', outbound(['0300.0.2.7']), '192.0.2.7:80', '0300.0.2.7'],
    ['a range', outbound(['192.0.2.0/24']), '[::ffff:192.0.2.9]:80', '192.0.2.0/24'],
    ['a range and an address beside it', outbound(['192.0.2.0/24']), '192.0.3.1:80', 'host-not-allowed'],
    ['a range of IPv6', outbound(['2001:db8::/32']), '[2001:DB8:1::1]:80', '2001:db8::/32'],
    ['an address of IPv6', outbound(['2001:db8::7']), '[2001:db8:0::7]:80', '2001:db8::7'],
    ['a bracketed address of IPv6', outbound(['[2001:db8::7]']), '[2001:db8::7]:80', '[2001:db8::7]'],
    ['a range and a name', outbound(['0.0.0.0/0']), 'acme.example:80', 'host-not-allowed'],
    ['an international name', outbound(['bücher.example']), 'xn--bcher-kva.example:443', 'bücher.example'],
  ];
  for (const [title, network, written, expected] of cases) {
    it(`returns ${expected} for ${title}: ${written}`, () => {
      const target = parseAuthority(written);
      if (target === undefined) throw new Error('no target');
      const decision = decideHost(readEgressRules(network), target.host, target.port);
      expect(decision.allowed ? decision.by : decision.reason).to.equal(expected);
    });
  }
});

describe('readEgressRules', () => {
  for (const entry of [
    '',
    '.',
    '*',
    '*.acme.example',
    'acme.example:443',
    'https://acme.example',
    '10.0.0.0/99',
    '.10.0.0.1',
    'a b',
  ]) {
    it(`refuses "${entry}" in allow_host`, () => {
      expect(() => readEgressRules(outbound([entry])))
        .to.throw(`"${entry}"`)
        .with.property('code', 'ERR_PERMISSION_PROFILE');
    });
  }
  for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
    it(`refuses ${port} in allow_port`, () => {
      expect(() => readEgressRules(outbound([], [port])))
        .to.throw()
        .with.property('code', 'ERR_PERMISSION_PROFILE');
    });
  }
});

describe('listDirectPorts', () => {
  it('returns the ports of the profile, or those of HTTP by default', () => {
    expect(listDirectPorts(readEgressRules(outbound(['a.example'])))).to.deep.equal([80, 443]);
    expect(listDirectPorts(readEgressRules(outbound(['a.example'], [8443])))).to.deep.equal([8443]);
    const all = { outbound: { insecure_allow_all: true, allow_port: [443, 5432] } };
    expect(listDirectPorts(readEgressRules(all))).to.deep.equal([80, 443, 5432]);
  });
});
