import type { KernelAuth } from '@portolan/kernel';
import { expect } from 'chai';
import { serverAccess } from '../../src/host/access-of-kernel.ts';

const authOf = (identifies: boolean, authz: KernelAuth['config']['authz']): KernelAuth => ({
  config: { mode: 'test', authz, publicPaths: ['/version'], claims: { roles: '/a' }, requireClaims: true },
  provider: {
    kind: {
      kind: 'test',
      hosts: ['registry-server'],
      identifies,
      config: { type: 'object' },
      create: () => expect.fail('created'),
    },
    instance: { verify: async () => undefined, identify: () => undefined },
  },
});

describe('serverAccess', () => {
  for (const { identifies, authz, mode } of [
    { hosts: ['registry-server'], identifies: true, authz: { roles: {} }, mode: 'full' },
    { hosts: ['registry-server'], identifies: true, authz: undefined, mode: 'auth-only' },
    { hosts: ['registry-server'], identifies: false, authz: { roles: {} }, mode: 'anonymous' },
    { hosts: ['registry-server'], identifies: false, authz: undefined, mode: 'anonymous' },
  ]) {
    it(`returns mode ${mode} when the provider identifies callers: ${identifies}, and roles are ${authz === undefined ? 'left out' : 'given'}`, () => {
      const auth = authOf(identifies, authz);
      const { policy, provider, roles, claims, publicPaths } = serverAccess({ auth })();
      expect(policy.mode).to.equal(mode);
      expect(provider).to.equal(auth.provider);
      expect({ roles, claims, publicPaths }).to.deep.equal({
        roles: authz?.roles,
        claims: { roles: '/a' },
        publicPaths: ['/version'],
      });
    });
  }

  it('returns the same object until the kernel has another auth', () => {
    const kernel = { auth: authOf(true, { roles: {} }) };
    const access = serverAccess(kernel);
    const before = access();
    expect(access()).to.equal(before);
    kernel.auth = authOf(true, undefined);
    expect(access().policy.mode).to.equal('auth-only');
    expect(access()).to.equal(access());
    expect(before.policy.mode).to.equal('full');
  });
});
