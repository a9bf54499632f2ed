import type { AccessPolicy, ClaimMapping, RoleRules } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';

/** What decides about requests; a reload puts another one in its place. A request keeps the one it began with. */
export interface ServerAccess {
  readonly policy: AccessPolicy;
  /** Who checks credentials; undefined, or one that identifies nobody: no request is asked for one. */
  readonly provider: Kernel['authProvider'] | undefined;
  /** `auth.authz.roles`, for explanations; undefined without `auth.authz`. */
  readonly roles: RoleRules | undefined;
  /** Claims that are taken from other places of the token. */
  readonly claims: ClaimMapping;
  /** Paths that are answered without a credential, beside those that always are. */
  readonly publicPaths: readonly string[];
}
