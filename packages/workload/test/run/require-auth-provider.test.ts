import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { requireAuthProvider } from '../../src/run/steps/check/require-auth-provider.ts';

const OIDC = {
  Issuer: 'https://id.acme.example',
  Audience: 'web',
  JWKSURL: '',
  ClientID: '',
  ClientSecret: '',
  CACertPath: '',
  AuthTokenFile: '',
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
  IntrospectionURL: '',
  ResourceURL: '',
  Scopes: [],
  AllowedClients: [],
};

describe('requireAuthProvider', () => {
  async function ask(
    oidc: Partial<typeof OIDC>,
    environment: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    const checked: string[] = [];
    const kinds = { checkAuthProvider: async (name: string) => void checked.push(name) };
    const config = createRunConfig({ name: 'web', oidc_config: { ...OIDC, ...oidc } });
    // SAFETY: the check calls only this function of the kinds.
    const context = { kinds, environment } as unknown as Parameters<typeof requireAuthProvider>[1];
    const error = await caught(() => requireAuthProvider(config, context)).catch(() => undefined);
    return error === undefined ? checked : Object(error).code;
  }

  it('requires the address of the keys when OIDC discovery is disabled', async () => {
    for (const name of ['PORTOLAN_SKIP_OIDC_DISCOVERY', 'TOOLHIVE_SKIP_OIDC_DISCOVERY']) {
      expect(await ask({}, { [name]: 'true' })).to.equal('ERR_SETTING');
      expect(await ask({ IntrospectionURL: 'https://id.acme.example/i' }, { [name]: 'true' })).to.equal(
        'ERR_SETTING',
      );
      expect(await ask({ JWKSURL: 'https://id.acme.example/keys' }, { [name]: 'true' })).to.deep.equal([
        'oauth',
      ]);
      expect(await ask({}, { [name]: 'false' })).to.deep.equal(['oauth']);
      const alone = { Issuer: '', IntrospectionURL: 'https://id.acme.example/i' };
      expect(await ask(alone, { [name]: 'true' })).to.deep.equal(['oauth']);
    }
  });
});
