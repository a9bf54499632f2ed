import {
  API_VERSION,
  BUILT_IN_TAPS,
  type ClaimSet,
  type Identity,
  type Plugin,
  type Role,
  type Caller,
} from '@portolan/plugin-api';
import { type AccessPolicy, anonymousPolicy } from './access-policy.ts';

export interface RolesHook {
  resolveRoles(roles: readonly Role[], identity: Identity): Promise<readonly Role[]>;
}

/**
 * The policy by which each caller was resolved: taps receive only the caller, and a reload may replace the
 * policy meanwhile.
 */
const policies = new WeakMap<Identity, AccessPolicy>();

/**
 * Runs the hook `resolveRoles` for a caller, starting with no roles. Without the tap of `createRolesPlugin`,
 * no caller has a role. Throws what the hook throws.
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
 * Returns the anonymous policy for an undefined caller: only that policy decides about requests without one.
 * Throws a TypeError for a caller that `resolveCaller` did not return.
 */
export function policyOfCaller(caller: Identity | undefined): AccessPolicy {
  if (caller === undefined) return anonymousPolicy;
  const policy = policies.get(caller);
  if (policy === undefined)
    throw new TypeError('the hook resolveCaller must run before the roles are resolved');
  return policy;
}

const { plugin: name, stage } = BUILT_IN_TAPS.resolveRoles;

/** Creates the built-in plugin whose tap adds the roles that the role rules grant. */
export function createRolesPlugin(): Plugin {
  const grants = new GrantedRoles();
  return {
    name,
    apiVersion: API_VERSION,
    apply({ hooks }) {
      hooks.resolveRoles.tap({ name, stage }, (roles, identity) => {
        const granted = grants.of(identity);
        return roles.length === 0 ? granted : [...new Set([...roles, ...granted])];
      });
    },
  };
}

/**
 * Caches the roles of a caller by the claims object, which stays the same while the auth provider caches the
 * token.
 */
class GrantedRoles {
  readonly #known = new WeakMap<
    ClaimSet,
    { readonly policy: AccessPolicy; readonly roles: readonly Role[] }
  >();

  of(identity: Identity): readonly Role[] {
    const policy = policyOfCaller(identity);
    const { claims } = identity;
    const known = this.#known.get(claims);
    if (known?.policy === policy) return known.roles;
    const roles = Object.freeze(policy.grantRoles(claims).map(({ role }) => role));
    this.#known.set(claims, { policy, roles });
    return roles;
  }
}
