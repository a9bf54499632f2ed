import { type Caller, type ClaimSet, type ResourceClaims, ROLES, type Role } from '@portolan/plugin-api';
import { grantRoles, type RoleGrant, type RoleRules } from './granted-roles.ts';
import { emptyLists, type KeyMatch, matchesClaims, matchKeys, type MatchRule } from './match-claims.ts';

/** Reason for a decision, as one word for the audit log and explanations. */
export type Because =
  | 'anonymous'
  | 'auth-only'
  | 'super-admin'
  | 'public'
  | 'claims'
  | 'claims-missing'
  | 'unlabelled'
  | 'empty-list'
  | 'role'
  | 'role-missing'
  | 'no-identity';

export interface AccessDecision {
  readonly allowed: boolean;
  readonly because: Because;
}

/** Decision about claims, with the comparison of each claim. */
export interface ClaimsDecision extends AccessDecision {
  /** Empty when the policy did not compare claims, or when there are none. */
  readonly keys: readonly KeyMatch[];
}

/** The part of a registry that its gate needs. */
export interface GatedRegistry {
  readonly claims: ResourceClaims;
  /** Claims attributed to readers without a token. Present only for a public registry. */
  readonly publicClaims?: ResourceClaims | undefined;
}

/**
 * Access decisions for one authorization mode. The server chooses one policy at start, so callers never
 * branch on the mode. All functions are pure and never throw. An undefined caller is an unauthenticated
 * request.
 */
export interface AccessPolicy {
  readonly mode: 'full' | 'auth-only' | 'anonymous';
  /** Returns whether the caller sees every entry regardless of its claims, so that no entry needs a check. */
  seesEverything(caller: Caller | undefined): boolean;
  /** Returns the roles that the claims of a token grant, before the hook `resolveRoles`. */
  grantRoles(held: ClaimSet): readonly RoleGrant[];
  /** Decides whether the caller has one of the roles. A superAdmin has all of them. */
  decideRole(caller: Caller | undefined, ...roles: readonly Role[]): AccessDecision;
  /** Decides whether a request may read from a registry at all (the registry gate). */
  decideRegistryAccess(caller: Caller | undefined, registry: GatedRegistry): AccessDecision;
  /**
   * Decides whether the caller may see or change a resource with these stored claims. Callers evaluate it
   * once per distinct claims object.
   */
  decideRead(caller: Caller | undefined, resource: { readonly claims: ResourceClaims }): AccessDecision;
  /**
   * Decides whether readers of this registry see an entry: the caller does, or everyone does because the
   * registry is public.
   */
  decideEntry(
    caller: Caller | undefined,
    registry: GatedRegistry,
    entry: { readonly claims: ResourceClaims },
  ): AccessDecision;
  /**
   * Decides whether a request may set these claims on a resource. Under full authorization, only a superAdmin
   * may set an empty list.
   */
  decideLabel(caller: Caller | undefined, claims: ResourceClaims): AccessDecision;
  /** Returns whether a publish request of the caller must contain claims. */
  requiresClaims(caller: Caller | undefined): boolean;
  /**
   * Returns whether a new version may change the claims of its entry. The new claims then apply to all
   * versions.
   */
  mayRelabel(caller: Caller | undefined): boolean;
  /** Explains `decideRead`, or `decideLabel` for claims in a request, claim by claim. */
  explain(caller: Caller | undefined, claims: ResourceClaims, rule: MatchRule): ClaimsDecision;
}

const anonymous: AccessDecision = { allowed: true, because: 'anonymous' };
const noIdentity: AccessDecision = { allowed: false, because: 'no-identity' };
const superAdmin: AccessDecision = { allowed: true, because: 'super-admin' };
const emptyList: AccessDecision = { allowed: false, because: 'empty-list' };
const byPublic: AccessDecision = { allowed: true, because: 'public' };

/**
 * Policy that grants everything to everyone. `auth.mode: anonymous` selects it, for development and testing
 *.
 */
export const anonymousPolicy: AccessPolicy = {
  mode: 'anonymous',
  seesEverything: () => true,
  grantRoles: () => [],
  decideRole: () => anonymous,
  decideRegistryAccess: () => anonymous,
  decideRead: () => anonymous,
  decideEntry: () => anonymous,
  decideLabel: () => anonymous,
  requiresClaims: () => false,
  // Without identified callers, no one can have requested a change of claims (docs/decisions/0011).
  mayRelabel: () => false,
  explain: () => ({ ...anonymous, keys: [] }),
};

/** Policy of a server without `auth.authz`: every identified caller may do everything. */
export const authOnlyPolicy: AccessPolicy = {
  mode: 'auth-only',
  seesEverything: (caller) => caller !== undefined,
  grantRoles: () => ROLES.map((role) => ({ role, rule: 0 })),
  decideRole: decideRole,
  decideRegistryAccess: (caller, registry) => orPublic(anyone(caller), registry),
  decideRead: anyone,
  decideEntry: (caller, registry, entry) => orShown(anyone(caller), registry, entry.claims),
  decideLabel: decideLabelUnchecked,
  requiresClaims: () => true,
  // Every caller has every role in this mode, but the configuration names no superAdmin
  // (docs/decisions/0088).
  mayRelabel: () => false,
  explain: (caller, claims, rule) => ({
    ...(rule === 'all' ? decideLabelUnchecked(caller, claims) : anyone(caller)),
    keys: [],
  }),
};

/**
 * Creates the policy that applies roles, registry gates and claim filters. An empty `auth.authz` selects it
 * too.
 */
export function createFullPolicy(roles: RoleRules): AccessPolicy {
  return {
    mode: 'full',
    seesEverything: isSuperAdmin,
    grantRoles: (held) => grantRoles(roles, held),
    decideRole,
    decideRegistryAccess: (caller, registry) =>
      orPublic(decideClaims(caller, registry.claims, 'any'), registry),
    decideRead: (caller, { claims }) => decideClaims(caller, claims, 'any'),
    decideEntry: (caller, registry, { claims }) =>
      orShown(decideClaims(caller, claims, 'any'), registry, claims),
    decideLabel,
    requiresClaims: (caller) => !isSuperAdmin(caller),
    mayRelabel: isSuperAdmin,
    explain: (caller, claims, rule) => ({
      ...(rule === 'all' ? decideLabel(caller, claims) : decideClaims(caller, claims, rule)),
      keys: matchKeys(caller?.claims ?? {}, claims, rule),
    }),
  };
}

function decideRole(caller: Caller | undefined, ...roles: readonly Role[]): AccessDecision {
  if (caller === undefined) return noIdentity;
  if (isSuperAdmin(caller)) return superAdmin;
  return roles.some((role) => caller.roles.includes(role))
    ? { allowed: true, because: 'role' }
    : { allowed: false, because: 'role-missing' };
}

function anyone(caller: Caller | undefined): AccessDecision {
  return caller === undefined ? noIdentity : { allowed: true, because: 'auth-only' };
}

/** Any value of a claim satisfies an empty list, so only a superAdmin may set one. */
function decideLabel(caller: Caller | undefined, claims: ResourceClaims): AccessDecision {
  const isRefused = caller !== undefined && !isSuperAdmin(caller) && hasEmptyList(claims);
  return isRefused ? emptyList : decideClaims(caller, claims, 'all');
}

/** Auth-only mode does not compare claims. They take effect once `auth.authz` is configured. */
function decideLabelUnchecked(caller: Caller | undefined, claims: ResourceClaims): AccessDecision {
  return caller !== undefined && hasEmptyList(claims) ? emptyList : anyone(caller);
}

function hasEmptyList(claims: ResourceClaims): boolean {
  return emptyLists(claims).length > 0;
}

/** Checks in this order: unauthenticated, superAdmin, default deny, claim rule. */
function decideClaims(caller: Caller | undefined, claims: ResourceClaims, rule: MatchRule): AccessDecision {
  if (caller === undefined) return noIdentity;
  if (isSuperAdmin(caller)) return superAdmin;
  if (Object.keys(claims).length === 0) return { allowed: false, because: 'unlabelled' };
  return matchesClaims(caller.claims, claims, rule)
    ? { allowed: true, because: 'claims' }
    : { allowed: false, because: 'claims-missing' };
}

/**
 * Grants everyone what readers without a token see: entries whose claims the public claims satisfy. Entries
 * without claims stay hidden.
 */
function orShown(
  decision: AccessDecision,
  { publicClaims }: GatedRegistry,
  claims: ResourceClaims,
): AccessDecision {
  if (decision.allowed || publicClaims === undefined) return decision;
  const shown = Object.keys(claims).length > 0 && matchesClaims(publicClaims, claims, 'any');
  return shown ? byPublic : decision;
}

function orPublic(decision: AccessDecision, registry: GatedRegistry): AccessDecision {
  return decision.allowed || registry.publicClaims === undefined ? decision : byPublic;
}

function isSuperAdmin(caller: Caller | undefined): boolean {
  return caller?.roles.includes('superAdmin') === true;
}
