import { type AccessPolicy, anonymousPolicy, authOnlyPolicy, createFullPolicy } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

export const AUTH_ONLY_WARNING =
  'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

/**
 * Returns the access policy for the auth provider and the configured roles. Only auth-only mode uses
 * `auth.requireClaims`.
 */
export function choosePolicy(auth: {
  readonly identifies: boolean;
  readonly authz: { readonly roles: RoleRules } | undefined;
  readonly requireClaims?: boolean;
}): AccessPolicy {
  if (!auth.identifies) return anonymousPolicy;
  if (auth.authz !== undefined) return createFullPolicy(auth.authz.roles);
  return auth.requireClaims === false ? { ...authOnlyPolicy, requiresClaims: () => false } : authOnlyPolicy;
}
