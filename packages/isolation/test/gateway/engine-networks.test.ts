import { expect } from 'chai';
import type { NetworkDescription } from '@portolan/plugin-api';
import { describeNetworks } from '../../src/gateway/engine-networks.ts';

function network(name: string, change: Partial<NetworkDescription> = {}): NetworkDescription {
  return { id: name, name, labels: {}, driver: 'bridge', internal: false, subnets: [], ...change };
}

const bridge = network('bridge', { subnets: [{ subnet: '172.17.0.0/16', gateway: '172.17.0.1' }] });

describe('describeNetworks', () => {
  it('returns gateways and subnets of all bridges', () => {
    const own = network('own', {
      subnets: [
        { subnet: '172.18.0.0/16', gateway: '172.18.0.1' },
        { subnet: 'fd00:1::/64', gateway: 'fd00:1::1/64' },
      ],
    });
    expect(describeNetworks([bridge, own, network('none', { driver: 'null' })], true)).to.deep.equal({
      defaultGateway: '172.17.0.1',
      gateways: ['172.17.0.1', '172.18.0.1', 'fd00:1::1'],
      subnets: ['172.17.0.0/16', '172.18.0.0/16', 'fd00:1::/64'],
    });
  });

  it('omits networks that are part of the local network', () => {
    const subnets = [{ subnet: '192.168.1.0/24', gateway: '192.168.1.1' }];
    for (const driver of ['macvlan', 'ipvlan']) {
      expect(describeNetworks([network('lan', { driver, subnets })], true)).to.deep.equal({
        defaultGateway: undefined,
        gateways: [],
        subnets: [],
      });
    }
  });

  const defaults: readonly (readonly [string, NetworkDescription, boolean, string | undefined])[] = [
    ['of Docker', bridge, true, '172.17.0.1'],
    [
      'of Podman',
      network('podman', { subnets: [{ subnet: '10.88.0.0/16', gateway: '10.88.0.1' }] }),
      true,
      '10.88.0.1',
    ],
    [
      'that the engine does not tell',
      network('bridge', { subnets: [{ subnet: '172.17.0.0/16', gateway: undefined }] }),
      true,
      '172.17.0.1',
    ],
    ['of an engine elsewhere', bridge, false, undefined],
  ];
  for (const [title, one, isHere, expected] of defaults) {
    it(`returns the gateway of the default bridge ${title}`, () => {
      expect(describeNetworks([one], isHere).defaultGateway).to.equal(expected);
    });
  }
});
