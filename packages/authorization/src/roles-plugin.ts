import {
  API_VERSION,
  BUILT_IN_TAPS,
  type ClaimSet,
  type Identity,
  type Plugin,
  type Role,
} from '@portolan/plugin-api';
import type { AccessPolicy } from './access-policy.ts';
import { policyOfCaller } from './resolve-caller.ts';

const { plugin: name, stage } = BUILT_IN_TAPS.resolveRoles;

/**
 * Creates the plugin that taps `resolveRoles` and adds the roles that the role rules grant to those of
 * earlier taps.
 */
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
 * Caches granted roles by the claims object, which stays the same as long as the auth provider caches the
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
