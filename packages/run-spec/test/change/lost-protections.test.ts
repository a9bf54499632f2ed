import { expect } from 'chai';
import { findLostProtections } from '../../src/change/lost-protections.ts';
import { POLICIES } from '../../src/run-config/policies.ts';
import { createRunConfig, type RunConfig } from '../../src/run-config/run-config.ts';
import { BUILT_IN_PROFILES } from '../../src/permissions/permission-profile.ts';

const open = createRunConfig({
  name: 'weather',
  image: 'acme/weather:1',
  permission_profile: BUILT_IN_PROFILES.network,
});
const oidc = {
  Issuer: 'https://id.acme.example',
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

const CASES: readonly (readonly [fields: Partial<RunConfig>, lost: string])[] = [
  [{ oidc_config: oidc }, 'who may call it'],
  [{ authz_config: { type: 'cedarv1' } }, 'what callers may do'],
  [{ tools_filter: ['echo'] }, 'which tools clients see'],
  [{ audit_config: { enabled: true } }, 'that calls are recorded'],
  [{ rate_limit_config: { shared: {} } }, 'how often it may be called'],
  [{ isolate_network: true }, 'that the network is isolated'],
  [{ permission_profile: BUILT_IN_PROFILES.none }, 'where the container may connect to (permission profile)'],
  [{ image_verification: 'enabled' }, 'that the signature of the image holds'],
  [{ additional_middleware_configs: [{ type: 'acme-drift' }] }, 'acme-drift'],
];

describe('findLostProtections', () => {
  for (const [fields, lost] of CASES) {
    it(`N1 › names ${lost} when ${Object.keys(fields).join()} disappears`, () => {
      const protectedOne = { ...open, ...fields };
      expect(findLostProtections(protectedOne, open)).to.deep.equal([lost]);
      expect(findLostProtections(open, protectedOne)).to.deep.equal([]);
      expect(findLostProtections(protectedOne, protectedOne)).to.deep.equal([]);
    });
  }

  it('N1 › names the audience when only the audience disappears', () => {
    const before = { ...open, oidc_config: { ...oidc, Audience: 'weather' } };
    const lost = findLostProtections(before, { ...open, oidc_config: oidc });
    expect(lost).to.deep.equal(['for which audience tokens are accepted']);
  });

  it('N1 › names the clients when only the allowed clients disappear', () => {
    const before = { ...open, oidc_config: { ...oidc, AllowedClients: ['app'] } };
    const lost = findLostProtections(before, { ...open, oidc_config: oidc });
    expect(lost).to.deep.equal(['of which clients tokens are accepted']);
  });

  it('N1 › names a container that becomes privileged', () => {
    const privileged = { ...open, permission_profile: { ...BUILT_IN_PROFILES.network, privileged: true } };
    const lost = ['that the container is not privileged (permission profile)'];
    expect(findLostProtections(open, privileged)).to.deep.equal(lost);
  });

  it('N1 › covers every policy, and no telemetry', () => {
    const judged = POLICIES.filter(({ protects }) => !/traced|trace of/.test(protects));
    expect(judged.map(({ kind }) => kind)).to.include.members([
      'audit',
      'cedar',
      'tool-filter',
      'rate-limit',
    ]);
    const measured = { ...open, telemetry_config: { endpoint: 'collector:4318' } };
    expect(findLostProtections(measured, open)).to.deep.equal([]);
  });

  it('N1 › does not compare container settings with a remote server', () => {
    const remote = createRunConfig({ name: 'weather', remote_url: 'https://mcp.acme.example/mcp' });
    expect(findLostProtections({ ...open, isolate_network: true }, remote)).to.deep.equal([]);
  });
});
