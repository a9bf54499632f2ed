import { type AccessPolicy, anonymousPolicy, authOnlyPolicy, createFullPolicy } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

/** What stands in an operator's log when nobody's claims are looked at (registry-authorization.md, section 6). */
export const AUTH_ONLY_WARNING =
  'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

/**
 * Returns the access policy of a server. It follows from whether the auth provider
 * identifies callers and whether roles are configured. `requireClaims` is
 * `auth.requireClaims`, which only auth-only mode looks at.
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
