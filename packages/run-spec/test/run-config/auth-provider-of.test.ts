import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { authoritiesOf, authProviderOf } from '../../src/run-config/auth-provider-of.ts';
import { findOidcFaults } from '../../src/run-config/oidc-config.ts';
import type { OidcConfig } from '../../src/run-config/parts.ts';
import { protectionsOf } from '../../src/run-config/middleware-of.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import type { RunConfig } from '../../src/run-config/run-config.ts';

const configOf = (document: object): RunConfig =>
  parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', ...document }), 'w.json').config;

const EVERYTHING_EMPTY: OidcConfig = {
  Issuer: '',
  Audience: '',
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
const ISSUER = 'https://id.acme.example';
const RESOURCE = 'https://mcp.acme.example/w';

describe('authProviderOf', () => {
  const rows: readonly { readonly title: string; readonly document: object; readonly type?: string }[] = [
    { title: 'a run config without settings', document: {} },
    {
      title: 'the fields that other tools write for every workload',
      document: { oidc_config: { Scopes: ['openid'] } },
    },
    { title: 'an address without an issuer', document: { oidc_config: { resourceurl: RESOURCE } } },
    { title: 'an issuer', document: { oidc_config: { ISSUER } }, type: 'oauth' },
    { title: 'only a policy', document: { tools_filter: ['a'] }, type: 'local-user' },
    {
      title: 'an issuer and a policy',
      document: { tools_filter: ['a'], oidc_config: { ISSUER } },
      type: 'oauth',
    },
    {
      title: 'middleware of a plugin',
      document: { additional_middleware_configs: [{ type: 'mine' }] },
      type: 'local-user',
    },
  ];
  for (const { title, document, type } of rows) {
    it(`returns ${type ?? 'none'} for ${title}`, () => {
      const config = configOf(document);
      expect(authProviderOf(config)?.type).to.equal(type);
      expect(protectionsOf(config).includes('who may call it')).to.equal(type === 'oauth');
    });
  }

  const provider = (document: object, secret?: (reference: string) => string): unknown =>
    authProviderOf(configOf({ oidc_config: document }), secret)?.parameters;

  it('rejects an issuer for any tenant with a hint to name the tenant (codex 38973)', () => {
    const Issuer = 'https://login.microsoftonline.com/common/v2.0';
    const [fault] = findOidcFaults({ ...EVERYTHING_EMPTY, Issuer });
    expect(fault).to.include({ key: 'Issuer' });
    expect(fault?.expected).to.include('name the tenant');
  });

  it('returns the allowed clients instead of the resource as audience, or next to a named audience', () => {
    const settings = (document: object): unknown =>
      Object(provider({ Issuer: ISSUER, ResourceURL: RESOURCE, ...document })).provider;
    const usual = { name: 'oidc', issuerUrl: ISSUER, allowPrivateIP: false };
    const clients = { AllowedClients: ['app'] };
    expect(settings(clients)).to.deep.equal({ ...usual, clientIds: ['app'] });
    expect(settings({ ...clients, Audience: 'w' })).to.deep.equal({
      ...usual,
      audience: 'w',
      clientIds: ['app'],
    });
    expect(settings({ AllowedClients: [] })).to.deep.equal({ ...usual, audience: RESOURCE });
  });

  it('returns the settings of the kind, with the value of a known secret', () => {
    const whole = {
      Issuer: ISSUER,
      Audience: 'w',
      JWKSURL: `${ISSUER}/keys`,
      ClientID: 'me',
      ClientSecret: 'id-key,target=oidc',
      AuthTokenFile: '/run/token',
      AllowPrivateIP: true,
      InsecureAllowHTTP: true,
      IntrospectionURL: `${ISSUER}/i`,
      ResourceURL: RESOURCE,
      Scopes: ['a'],
    };
    const expected = {
      resourceUrl: RESOURCE,
      realm: ISSUER,
      scopes: ['a'],
      mcpRules: true,
      allowInsecureIssuers: true,
      provider: {
        name: 'oidc',
        issuerUrl: ISSUER,
        audience: 'w',
        jwksUrl: `${ISSUER}/keys`,
        introspectionUrl: `${ISSUER}/i`,
        clientId: 'me',
        clientSecret: 'value of id-key,target=oidc',
        authTokenFile: '/run/token',
        allowPrivateIP: true,
      },
    };
    expect(provider(whole, (reference) => `value of ${reference}`)).to.deep.equal(expected);
    expect(JSON.stringify(provider(whole))).not.to.include('id-key');
  });

  for (const { title, document, expected } of [
    { title: 'the resource', document: { ResourceURL: RESOURCE }, expected: { audience: RESOURCE } },
    { title: 'any audience', document: {}, expected: { anyAudience: true } },
  ]) {
    it(`without an audience accepts tokens for ${title}`, () => {
      const parameters = provider({ Issuer: ISSUER, ...document });
      expect(parameters).to.have.nested.include(
        Object.fromEntries(Object.entries(expected).map(([key, value]) => [`provider.${key}`, value])),
      );
    });
  }

  it('reads the files that other tools name outside of oidc_config', () => {
    const config = configOf({
      oidc_config: { Issuer: ISSUER, CACertPath: '/etc/own.pem' },
      thv_ca_bundle: '/etc/all.pem',
      jwks_auth_token_file: '/run/token',
    });
    expect(authoritiesOf(config)).to.equal('/etc/all.pem');
    expect(authProviderOf(config)?.parameters).to.have.nested.include({
      'provider.caCertPath': '/etc/own.pem',
      'provider.authTokenFile': '/run/token',
    });
    const alone = configOf({ oidc_config: { Issuer: ISSUER, CACertPath: '/etc/own.pem' } });
    expect(authoritiesOf(alone)).to.equal('/etc/own.pem');
    expect(JSON.stringify(authProviderOf(alone))).not.to.include('caCertPath');
  });
});

describe('oidc_config of a file', () => {
  for (const { title, oidc, says } of [
    { title: 'an audience without an issuer', oidc: { Audience: 'w' }, says: 'oidc_config.Audience: found' },
    { title: 'a client without an issuer', oidc: { ClientID: 'me' }, says: 'oidc_config.ClientID: found' },
    {
      title: 'a client secret without a client ID',
      oidc: { Issuer: ISSUER, ClientSecret: 'hunter2' },
      says: 'oidc_config.ClientSecret: found a client secret without a client ID',
    },
    {
      title: 'an invalid issuer',
      oidc: { Issuer: 'hunter2' },
      says: 'oidc_config.Issuer: found no address',
    },
    {
      title: 'an issuer with a password',
      oidc: { Issuer: 'https://a:hunter2@id.acme.example' },
      says: 'oidc_config.Issuer: found an address with a user or password',
    },
    {
      title: 'an issuer with a query',
      oidc: { Issuer: 'https://id.acme.example/?hunter2' },
      says: 'oidc_config.Issuer: found an address with a query',
    },
    {
      title: 'keys in a file',
      oidc: { JWKSURL: 'file:///etc/keys' },
      says: 'oidc_config.JWKSURL: found an address that begins with file:',
    },
    {
      title: 'http on another host',
      oidc: { IntrospectionURL: 'http://id.acme.example/i' },
      says: 'oidc_config.IntrospectionURL: found an http address of id.acme.example',
    },
    {
      title: 'a private address in an unusual notation',
      oidc: { Issuer: 'https://[::ffff:10.0.0.1]' },
      says: 'oidc_config.Issuer: found a private address',
    },
    {
      title: 'a name of this host',
      oidc: { Issuer: ISSUER, IntrospectionURL: 'https://sso.localhost/i' },
      says: 'oidc_config.IntrospectionURL: found a private address',
    },
    {
      title: 'a resource with a fragment',
      oidc: { ResourceURL: 'https://mcp.acme.example/#hunter2' },
      says: 'oidc_config.ResourceURL: found',
    },
    {
      title: 'a scope with a quote',
      oidc: { Issuer: ISSUER, Scopes: ['a', 'b"'] },
      says: 'oidc_config.Scopes[1]',
    },
  ]) {
    it(`is rejected with ${title}`, async () => {
      const error = await caught(() => configOf({ oidc_config: oidc }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include(says).and.not.to.include('hunter2');
    });
  }

  it('may use http on this host, and elsewhere with permission', () => {
    configOf({ oidc_config: { Issuer: 'http://localhost:8080', AllowPrivateIP: true } });
    configOf({ oidc_config: { Issuer: 'http://id.acme.example', InsecureAllowHTTP: true } });
  });
});
