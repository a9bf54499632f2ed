import { expect } from 'chai';
import { readUserSettings } from '../../src/settings/user-settings.ts';

const NOTHING = {
  issuer: undefined,
  clientId: undefined,
  clientSecret: undefined,
  audience: undefined,
  scopes: undefined,
};

describe('registry_auth in the user settings', () => {
  const cases = [
    { title: 'is empty without settings', value: {}, expected: NOTHING },
    {
      title: 'is parsed as other tools write it',
      value: {
        registry_auth: {
          type: 'oauth',
          oauth: { issuer: 'https://i.example', client_id: 'cli', use_pkce: true },
        },
      },
      expected: { ...NOTHING, issuer: 'https://i.example', clientId: 'cli' },
    },
    {
      title: 'has audience and scopes',
      value: { registry_auth: { oauth: { audience: 'a', scopes: ['x', 'y'] } } },
      expected: { ...NOTHING, audience: 'a', scopes: ['x', 'y'] },
    },
    {
      title: 'treats empty values as absent',
      value: { registry_auth: { oauth: { issuer: '', scopes: [] } } },
      expected: NOTHING,
    },
  ];
  for (const { title, value, expected } of cases) {
    it(title, () => {
      expect(readUserSettings(value, 'config.yaml').registryAuth).to.deep.equal(expected);
    });
  }

  it('reports every problem with its place', () => {
    const value = { registry_auth: { oauth: { issuer: 7, scopes: 'x' } } };
    const read = () => readUserSettings(value, 'config.yaml');
    expect(read).to.throw('registry_auth.oauth.issuer: found').with.property('code', 'ERR_USER_SETTINGS');
    expect(read).to.throw('registry_auth.oauth.scopes: found');
  });
});
