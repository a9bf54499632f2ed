import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { BUILT_IN_PROFILES, type PermissionProfile } from '@portolan/run-spec';
import { egressPolicyOf } from '../../src/supervisor/network/egress-policy.ts';

const facts = {
  runtime: { listNetworks: () => Promise.resolve([]) },
  engine: { sharesSockets: true },
  allowContainerGateway: false,
};

describe('egressPolicyOf', () => {
  const cases: readonly (readonly [string, PermissionProfile, object | undefined])[] = [
    ['none', BUILT_IN_PROFILES.none, { allowAll: false, hosts: [], ports: [] }],
    ['network', BUILT_IN_PROFILES.network, { allowAll: true, hosts: [], ports: [] }],
    ['no network part', {}, { allowAll: true, hosts: [], ports: [] }],
    ['a network part without outbound', { network: {} }, { allowAll: false, hosts: [], ports: [] }],
    [
      'the network mode none',
      { network: { mode: 'none', outbound: { insecure_allow_all: true } } },
      undefined,
    ],
  ];
  for (const [title, profile, expected] of cases) {
    it(`returns the rules of ${title}`, () => {
      expect(egressPolicyOf(profile, facts)?.rules).to.deep.equal(expected);
    });
  }

  it('uses the upstream proxies in the environment', () => {
    const environment = { HTTPS_PROXY: 'http://proxy.acme.example:3128' };
    expect(egressPolicyOf({}, { ...facts, environment })?.upstream?.secure?.host).to.equal(
      'proxy.acme.example:3128',
    );
    expect(egressPolicyOf({}, facts)?.upstream).to.equal(undefined);
  });

  it('rejects a URL in allow_host', () => {
    const profile = { network: { outbound: { allow_host: ['https://acme.example/x'] } } };
    try {
      egressPolicyOf(profile, facts);
      expect.fail('it was taken');
    } catch (error) {
      expect(isPortolanError(error) && error.code).to.equal('ERR_PERMISSION_PROFILE');
    }
  });
});
