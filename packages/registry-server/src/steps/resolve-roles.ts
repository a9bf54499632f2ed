import type { AccessPolicy } from '@portolan/authorization';
import type { GuardedHooks } from '@portolan/kernel';
import type { ClaimSet, Role } from '@portolan/plugin-api';
import { type Middleware, policyOf } from '../request/request-state.ts';

/**
 * Gives a caller their roles: those their claims give by the rules of the
 * configuration, as the hook `resolveRoles` leaves them. Nobody has none.
 */
export function resolveRoles(hooks: Pick<GuardedHooks, 'resolveRoles'>): Middleware {
  const granted = new WeakMap<ClaimSet, { readonly policy: AccessPolicy; readonly roles: readonly Role[] }>();
  const grant = (policy: AccessPolicy, claims: ClaimSet): readonly Role[] => {
    const known = granted.get(claims);
    if (known?.policy === policy) return known.roles;
    const roles = policy.grantRoles(claims).map(({ role }) => role);
    granted.set(claims, { policy, roles });
    return roles;
  };
  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== undefined) {
      const roles = await hooks.resolveRoles(grant(policyOf(ctx), caller.claims), caller);
      ctx.state.caller = { ...caller, roles };
    }
    await next();
  };
}
