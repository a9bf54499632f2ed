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

/** The role rules as a tap: what they grant is added to what taps before it have given. */
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

/** Remembers them by the claims, which are the same object as long as a provider remembers the token. */
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
