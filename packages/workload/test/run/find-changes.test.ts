import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { findChanges } from '../../src/run/steps/find-changes.ts';

const base = createRunConfig({ name: 'weather', image: 'acme/weather:1', permission_profile: { read: [] } });

const OIDC = {
  Issuer: 'https://id.acme.example',
  Audience: '',
  JWKSURL: '',
  IntrospectionURL: '',
  ClientID: 'weather',
  ClientSecret: '',
  AllowedClients: [],
  CACertPath: '',
  AuthTokenFile: '',
  ResourceURL: '',
  Scopes: [],
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
};

describe('findChanges', () => {
  it('N1 › names the parts of objects that differ', () => {
    const before = {
      ...base,
      authz_config: { type: 'cedarv1', cedar: { policies: ['a'], entities_json: '[]' } },
    };
    const after = {
      ...base,
      authz_config: { type: 'cedarv1', cedar: { policies: ['b'], entities_json: '[]' } },
    };
    expect(findChanges(before, after)).to.deep.equal([
      { setting: 'authz_config.cedar.policies', before: ['a'], after: ['b'] },
    ]);
  });

  it('N1 › shows the values of an added or removed object, without empty ones', () => {
    const telemetry = { endpoint: 'collector:4318', insecure: false, headers: { 'x-key': 'classified' } };
    const traced = { ...base, telemetry_config: telemetry };
    expect(findChanges(base, traced)).to.deep.equal([
      { setting: 'telemetry_config.endpoint', before: undefined, after: 'collector:4318' },
      { setting: 'telemetry_config.headers.x-key', before: undefined, after: 'a value' },
    ]);
    expect(findChanges(traced, base).map(({ after }) => after)).to.deep.equal([undefined, undefined]);
  });

  it('N1 › treats an empty value as absent', () => {
    expect(findChanges(base, { ...base, permission_profile: { read: [], write: [] } })).to.deep.equal([]);
  });

  it('never shows a client secret in clear text', () => {
    const withSecret = (ClientSecret: string) => ({
      ...base,
      oidc_config: { ...OIDC, ClientSecret },
    });
    const before = withSecret('NAME,target=oidc_client_secret');
    const after = withSecret('classified');
    expect(findChanges(before, after)).to.deep.equal([
      { setting: 'oidc_config.ClientSecret', before: 'a value', after: 'another value' },
    ]);
  });

  for (const [field, value] of [
    ['env_vars', { TOKEN: 'classified' }],
    ['header_forward', { add_plaintext_headers: { 'X-A': 'classified' }, add_headers_from_secret: {} }],
  ] as const) {
    it(`N1 › never shows values of ${field}`, () => {
      const changes = findChanges(base, { ...base, [field]: value });
      expect(changes).to.have.length(1);
      expect(JSON.stringify(changes)).not.to.include('classified');
    });
  }
});
