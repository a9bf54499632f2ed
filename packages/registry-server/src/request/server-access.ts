import type { AccessPolicy, ClaimMapping, RoleRules } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';

/** Access decisions of the server. A reload replaces the object; a running request keeps its own. */
export interface ServerAccess {
  readonly policy: AccessPolicy;
  /** Provider that checks credentials. Requests need none when it is undefined or identifies no callers. */
  readonly provider: Kernel['authProvider'] | undefined;
  /** Value of `auth.authz.roles`, for explanations; undefined without `auth.authz`. */
  readonly roles: RoleRules | undefined;
  /** Claims that are read from other places of the token. */
  readonly claims: ClaimMapping;
  /** Paths that need no credential, besides the fixed ones. */
  readonly publicPaths: readonly string[];
}
