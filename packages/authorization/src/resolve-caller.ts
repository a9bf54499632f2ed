import type { Caller, Identity, Role } from '@portolan/plugin-api';
import { type AccessPolicy, anonymousPolicy } from './access-policy.ts';

/** The hook, as the kernel runs it. */
export interface RolesHook {
  resolveRoles(roles: readonly Role[], identity: Identity): Promise<readonly Role[]>;
}

/**
 * By which policy it is decided about a caller. Taps get the caller alone, and a
 * reload may put another policy in place while a request is on its way.
 */
const policies = new WeakMap<Identity, AccessPolicy>();

/**
 * The caller that somebody identified is: with the roles that the hook
 * `resolveRoles` gives, which begins with none. Without the tap of
 * `createRolesPlugin` nobody has a role. Throws what the hook throws.
 */
export async function resolveCaller(
  hooks: RolesHook,
  policy: AccessPolicy,
  identity: Identity,
): Promise<Caller> {
  policies.set(identity, policy);
  const caller = { ...identity, roles: await hooks.resolveRoles([], identity) };
  policies.set(caller, policy);
  return caller;
}

/**
 * The policy that the caller was resolved by. Nobody is decided about by the
 * anonymous one: elsewhere a caller is asked for first. Throws TypeError for a caller of unknown origin.
 */
export function policyOfCaller(caller: Identity | undefined): AccessPolicy {
  if (caller === undefined) return anonymousPolicy;
  const policy = policies.get(caller);
  if (policy === undefined) throw new TypeError('resolveCaller has to come first');
  return policy;
}
