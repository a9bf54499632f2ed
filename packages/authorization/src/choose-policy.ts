import { type AccessPolicy, anonymousPolicy, authOnlyPolicy, createFullPolicy } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

/** Warning in the operator's log when claims are not compared. */
export const AUTH_ONLY_WARNING =
  'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

/**
 * Returns the access policy of a server. The choice depends on whether the auth provider identifies callers
 * and whether roles are configured. Only auth-only mode reads `requireClaims` (`auth.requireClaims`).
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
