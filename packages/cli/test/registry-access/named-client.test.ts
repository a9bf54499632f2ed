import { expect } from 'chai';
import { namedClient } from '../../src/registry-access/named-client.ts';
import type { RegistryLoginFlags } from '../../src/command-line/flags/registry-login-flags.ts';
import { registryAddress } from '../../src/command-line/registry-address.ts';

const SET = {
  issuer: 'https://sso.acme.example',
  clientId: 'set',
  clientSecret: 'CLI_SECRET',
  audience: 'registry',
  scopes: ['a', 'b'],
};
const user = {
  registryApiUrl: 'https://acme.example/registry/main',
  registryUrl: undefined,
  registryAuth: SET,
};

describe('namedClient', () => {
  it('returns the settings for a registry of the same server', () => {
    expect(namedClient(new URL('https://acme.example'), {}, user)).to.deep.equal(SET);
    expect(namedClient(new URL('https://acme.example/registry/other'), {}, user)).to.deep.equal(SET);
  });

  it('ignores the settings for another server', () => {
    const other = namedClient(
      new URL('https://other.example/registry/main'),
      { issuer: 'https://i.example' },
      user,
    );
    expect(other).to.deep.equal({
      issuer: 'https://i.example',
      clientId: undefined,
      clientSecret: undefined,
      audience: undefined,
      scopes: undefined,
    });
  });

  it('prefers flags to settings', () => {
    const flags = { 'client-id': 'typed', scopes: ['c'] };
    expect(namedClient(new URL('https://acme.example'), flags, user)).to.deep.equal({
      ...SET,
      clientId: 'typed',
      clientSecret: undefined,
      scopes: ['c'],
    });
  });
});

describe('client secret', () => {
  const registry = new URL('https://acme.example');
  const typed = { issuer: 'https://i.example', 'client-id': 'typed', 'client-secret': 'TYPED' };

  it('is only used with the issuer and the client that it is stored for', () => {
    const secretWith = (flags: RegistryLoginFlags) => namedClient(registry, flags, user).clientSecret;
    expect(secretWith({ issuer: SET.issuer, 'client-id': SET.clientId })).to.equal('CLI_SECRET');
    expect(secretWith({ issuer: 'https://i.example' })).to.equal(undefined);
    expect(secretWith({ 'client-id': 'typed' })).to.equal(undefined);
    expect(secretWith(typed)).to.equal('TYPED');
  });

  for (const missing of ['issuer', 'client-id'] as const)
    it(`is rejected without ${missing}`, () => {
      const flags = { ...typed, [missing]: undefined };
      const asked = () => namedClient(new URL('https://other.example'), flags, user);
      expect(asked).to.throw().with.property('code', 'ERR_BAD_ARGUMENT');
    });
});

describe('registryAddress', () => {
  const environment = { PORTOLAN_URL: 'https://env.example/' };
  const cases = [
    {
      title: 'the address of the command line',
      typed: 'https://typed.example',
      environment,
      expected: 'https://typed.example/',
    },
    { title: 'PORTOLAN_URL without one', typed: undefined, environment, expected: 'https://env.example/' },
    {
      title: 'the registry of the settings without both',
      typed: undefined,
      environment: { PORTOLAN_URL: '' },
      expected: 'https://acme.example/registry/main',
    },
  ];
  for (const { title, typed, environment: variables, expected } of cases) {
    it(`returns ${title}`, () => {
      expect(registryAddress(typed, { environment: variables, user }).href).to.equal(expected);
    });
  }

  const nothing = { registryApiUrl: undefined, registryUrl: undefined };
  const refused = [
    { title: 'a missing address', typed: undefined, code: 'ERR_REGISTRY_UNKNOWN' },
    { title: 'an http address of another machine', typed: 'http://acme.example', code: 'ERR_SERVER_ADDRESS' },
    { title: 'an address with a password', typed: 'https://a:b@acme.example', code: 'ERR_SERVER_ADDRESS' },
  ];
  for (const { title, typed, code } of refused) {
    it(`rejects ${title}`, () => {
      expect(() => registryAddress(typed, { environment: {}, user: nothing }))
        .to.throw()
        .with.property('code', code);
    });
  }
});
