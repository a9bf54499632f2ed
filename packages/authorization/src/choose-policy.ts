import { type AccessPolicy, anonymousPolicy, authOnlyPolicy, createFullPolicy } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

/** What stands in an operator's log when nobody's claims are looked at (registry-authorization.md, section 6). */
export const AUTH_ONLY_WARNING =
  'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

/** The one policy of a server: by whether its auth provider identifies anybody, and whether roles are configured. */
export function choosePolicy(auth: {
  readonly identifies: boolean;
  readonly authz: { readonly roles: RoleRules } | undefined;
}): AccessPolicy {
  if (!auth.identifies) return anonymousPolicy;
  return auth.authz === undefined ? authOnlyPolicy : createFullPolicy(auth.authz.roles);
}
