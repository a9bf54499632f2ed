import { expect } from 'chai';
import { networkModeOf } from '../../src/permissions/permission-profile.ts';
import { decideIsolation } from '../../src/settings/decide-isolation.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('decideIsolation', () => {
  const cases = [
    { network: 'bridge', asked: undefined, value: true, from: 'default', warns: false },
    { network: 'bridge', asked: true, value: true, from: 'flag', warns: false },
    { network: '', asked: false, value: false, from: 'flag', warns: false },
    { network: 'host', asked: undefined, value: false, from: 'rule', warns: true },
    { network: 'mine', asked: undefined, value: false, from: 'rule', warns: true },
    { network: 'mine', asked: false, value: false, from: 'flag', warns: false },
    { network: 'none', asked: true, value: false, from: 'rule', warns: false },
    { network: 'none', asked: undefined, value: false, from: 'rule', warns: false },
  ] as const;
  for (const { network, asked, value, from, warns } of cases) {
    it(`is ${value} for ${network === '' ? 'no name' : network} when ${asked ?? 'nothing'} is asked for`, () => {
      const { isolated, warning } = decideIsolation({
        network: networkModeOf(network),
        asked,
        publishes: false,
      });
      expect(isolated).to.include({ value, from });
      expect(warning !== undefined).to.equal(warns);
    });
  }
  for (const network of ['host', 'mine']) {
    it(`refuses what was asked for by name and cannot be had: ${network}`, async () => {
      const error = await caught(() =>
        decideIsolation({ network: networkModeOf(network), asked: true, publishes: false }),
      );
      expect(error.code).to.equal('ERR_SETTINGS_CONFLICT');
    });
  }
  it('refuses published ports on the network of the host', async () => {
    const error = await caught(() =>
      decideIsolation({ network: { mode: 'host' }, asked: false, publishes: true }),
    );
    expect(error.code).to.equal('ERR_SETTINGS_CONFLICT');
  });
});
