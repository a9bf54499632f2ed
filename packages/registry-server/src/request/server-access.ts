import type { AccessPolicy, ClaimMapping, RoleRules } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';

/** A reload replaces the object; a running request keeps its own. */
export interface ServerAccess {
  readonly policy: AccessPolicy;
  /** Requests need no credentials when it is undefined or identifies no callers. */
  readonly provider: Kernel['authProvider'] | undefined;
  /** Value of `auth.authz.roles`, for explanations; undefined without `auth.authz`. */
  readonly roles: RoleRules | undefined;
  /** Claims in other places of the token. */
  readonly claims: ClaimMapping;
  /** Paths that need no credential, besides the fixed ones. */
  readonly publicPaths: readonly string[];
}
