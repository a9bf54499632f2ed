import { expect } from 'chai';
import { BUILT_IN_PROFILES, networkModeOf } from '../../src/permissions/permission-profile.ts';
import { decideIsolation } from '../../src/settings/merge-container.ts';
import { describeOpenNetwork } from '../../src/permissions/open-network.ts';
import { caught } from '../../../../test/support/caught.ts';

// toolhive 5775: a server on the host network is started without isolation, and not cut off from the network.
describe('decideIsolation', () => {
  const cases = [
    { network: 'bridge', asked: undefined, value: true, from: 'default' },
    { network: 'bridge', asked: true, value: true, from: 'flag' },
    { network: '', asked: false, value: false, from: 'flag' },
    { network: 'host', asked: undefined, value: false, from: 'rule' },
    { network: 'mine', asked: undefined, value: false, from: 'rule' },
    { network: 'mine', asked: false, value: false, from: 'flag' },
    { network: 'none', asked: true, value: false, from: 'rule' },
    { network: 'none', asked: undefined, value: false, from: 'rule' },
  ] as const;
  for (const { network, asked, value, from } of cases) {
    it(`is ${value} for ${network === '' ? 'no name' : network} when the user asks for ${asked ?? 'nothing'}`, () => {
      const isolated = decideIsolation({
        network: networkModeOf(network),
        isRequested: asked,
        publishes: false,
      });
      expect(isolated).to.include({ value, from });
    });
  }
  for (const network of ['host', 'mine']) {
    it(`rejects an explicit isolation that is impossible: ${network}`, async () => {
      const error = await caught(() =>
        decideIsolation({ network: networkModeOf(network), isRequested: true, publishes: false }),
      );
      expect(error.code).to.equal('ERR_SETTINGS_CONFLICT');
    });
  }
  it('rejects published ports on the host network', async () => {
    const error = await caught(() =>
      decideIsolation({ network: { mode: 'host' }, isRequested: false, publishes: true }),
    );
    expect(error.code).to.equal('ERR_SETTINGS_CONFLICT');
  });
});

describe('describeOpenNetwork', () => {
  const { none, network } = BUILT_IN_PROFILES;
  const cases = [
    {
      title: 'the bridge',
      profile: network,
      says: /internet, to the local network, and to services of this machine\.$/,
    },
    {
      title: 'the bridge with limits',
      profile: none,
      says: /this machine\. The network limits .* have no effect/,
    },
    { title: 'a profile without a network', profile: {}, says: /services of this machine\.$/ },
    { title: 'no profile', profile: undefined, says: /services of this machine\.$/ },
    { title: 'the host network', profile: { network: { mode: 'host' } }, says: /loopback included/ },
    { title: 'a named network', profile: { network: { mode: 'mine' } }, says: /the network mine/ },
  ];
  for (const { title, profile, says } of cases) {
    it(`names what a server on ${title} can connect to`, () => {
      expect(describeOpenNetwork(profile, false)).to.match(says);
    });
  }

  it('returns nothing for an isolated server and for one without a network', () => {
    expect(describeOpenNetwork(none, true)).to.equal(undefined);
    expect(describeOpenNetwork({ network: { mode: 'none' } }, false)).to.equal(undefined);
  });
});
