import type { AccessPolicy, ClaimMapping, RoleRules } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';

/** Access decisions of the server. A reload replaces the object; a running request keeps the old one. */
export interface ServerAccess {
  readonly policy: AccessPolicy;
  /** Configured auth provider. Requests need no credentials when it is undefined or identifies no callers. */
  readonly provider: Kernel['authProvider'] | undefined;
  /** Value of `auth.authz.roles`, for explanations; undefined without `auth.authz`. */
  readonly roles: RoleRules | undefined;
  /** Pointers into the token, for claims that are not at the top level. */
  readonly claims: ClaimMapping;
  /** Paths that need no credential, in addition to the fixed ones. */
  readonly publicPaths: readonly string[];
}
