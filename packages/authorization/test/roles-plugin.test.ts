import { BUILT_IN_TAPS, type Identity, type Role } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  anonymousPolicy,
  authOnlyPolicy,
  createFullPolicy,
  createRolesPlugin,
  policyOfCaller,
  resolveCaller,
  type RolesHook,
} from '../src/index.ts';

type RoleTap = (roles: readonly Role[], identity: Identity) => readonly Role[];

/** The hook with the tap of the plugin alone, and what it was tapped with. */
function tapped(): { readonly hook: RolesHook; readonly options: readonly unknown[] } {
  const options: unknown[] = [];
  const taps: RoleTap[] = [];
  const resolveRoles = { tap: (how: unknown, tap: RoleTap) => (options.push(how), taps.push(tap)) };
  // SAFETY: nothing else of the context is asked for, and there are no options.
  void createRolesPlugin().apply?.({ hooks: { resolveRoles } } as never, {} as never);
  const run: RoleTap = (roles, identity) => taps.reduce((given, tap) => tap(given, identity), roles);
  return { options, hook: { resolveRoles: async (roles, identity) => run(roles, identity) } };
}

const policy = createFullPolicy({ manageEntries: [{ team: 'maps' }], superAdmin: [{ team: 'ops' }] });
const ada: Identity = { subject: 'ada', claims: { team: 'maps' } };

describe('createRolesPlugin', () => {
  it('taps only resolveRoles, with the name and stage of the contract', () => {
    expect(tapped().options).to.deep.equal([
      { name: BUILT_IN_TAPS.resolveRoles.plugin, stage: BUILT_IN_TAPS.resolveRoles.stage },
    ]);
  });

  it('grants roles by the rules', async () => {
    const { hook } = tapped();
    expect((await resolveCaller(hook, policy, ada)).roles).to.deep.equal(['manageEntries']);
    const ops = { subject: 'o', claims: { team: 'ops' } };
    expect((await resolveCaller(hook, policy, ops)).roles).to.deep.equal(['superAdmin']);
    const none = { subject: 'n', claims: {} };
    expect((await resolveCaller(hook, policy, none)).roles).to.deep.equal([]);
  });

  it('adds the granted roles to those of earlier taps, each role once', async () => {
    const { hook } = tapped();
    await resolveCaller(hook, policy, ada);
    const roles = await hook.resolveRoles(['manageSources', 'manageEntries'], ada);
    expect(roles).to.deep.equal(['manageSources', 'manageEntries']);
  });

  it('uses the policy that resolveCaller got, even when two calls have the same claims', async () => {
    const { hook } = tapped();
    expect((await resolveCaller(hook, policy, ada)).roles).to.have.length(1);
    expect((await resolveCaller(hook, authOnlyPolicy, { ...ada })).roles).to.have.length(4);
    expect((await resolveCaller(hook, policy, { ...ada })).roles).to.have.length(1);
  });

  it('throws for an identity that resolveCaller has not created', async () => {
    const { hook } = tapped();
    let thrown: unknown;
    await hook.resolveRoles([], { ...ada }).catch((error: unknown) => (thrown = error));
    expect(thrown).to.be.instanceOf(TypeError);
  });
});

describe('resolveCaller', () => {
  it('returns only the roles of the hook', async () => {
    const untapped: RolesHook = { resolveRoles: async (roles) => roles };
    expect((await resolveCaller(untapped, authOnlyPolicy, ada)).roles).to.deep.equal([]);
  });
});

describe('policyOfCaller', () => {
  it('returns the policy of resolveCaller, and the anonymous one without a caller', async () => {
    const caller = await resolveCaller(tapped().hook, policy, ada);
    expect(policyOfCaller(caller)).to.equal(policy);
    expect(policyOfCaller(undefined)).to.equal(anonymousPolicy);
    expect(() => policyOfCaller({ subject: 'x', claims: {} })).to.throw(TypeError);
  });
});
