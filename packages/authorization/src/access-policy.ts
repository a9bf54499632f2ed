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

export interface ClaimsDecision extends AccessDecision {
  /** Empty when the policy compared no claims. */
  readonly keys: readonly KeyMatch[];
}

export interface GatedRegistry {
  readonly claims: ResourceClaims;
  /** Claims of readers without a token. Present only for a public registry. */
  readonly publicClaims?: ResourceClaims | undefined;
}

/**
 * Access decisions for one authorization mode, chosen at start. All functions are pure and never throw. An
 * undefined caller is unauthenticated.
 */
export interface AccessPolicy {
  readonly mode: 'full' | 'auth-only' | 'anonymous';
  /** Returns whether the caller may see all entries, so that no entry needs a check. */
  seesEverything(caller: Caller | undefined): boolean;
  /** Returns roles before the hook `resolveRoles`. */
  grantRoles(claims: ClaimSet): readonly RoleGrant[];
  /** Decides whether the caller has one of the roles. A superAdmin has all roles. */
  decideRole(caller: Caller | undefined, ...roles: readonly Role[]): AccessDecision;
  decideRegistryAccess(caller: Caller | undefined, registry: GatedRegistry): AccessDecision;
  /**
   * Decides whether the caller may read a resource with these claims. Call it once per distinct claims
   * object.
   */
  decideRead(caller: Caller | undefined, resource: { readonly claims: ResourceClaims }): AccessDecision;
  /**
   * Decides whether a reader sees an entry: the caller's claims satisfy it, or the registry shows it to the
   * public.
   */
  decideEntry(
    caller: Caller | undefined,
    registry: GatedRegistry,
    entry: { readonly claims: ResourceClaims },
  ): AccessDecision;
  /** Decides about claims in a request. Under full authorization, only a superAdmin may set an empty list. */
  decideLabel(caller: Caller | undefined, claims: ResourceClaims): AccessDecision;
  requiresClaims(caller: Caller | undefined): boolean;
  /**
   * Returns whether the caller may publish a version with claims that differ from those of its entry. The new
   * claims then apply to all versions.
   */
  mayRelabel(caller: Caller | undefined): boolean;
  /** Explains `decideRead`, or `decideLabel` for claims in a request. */
  explain(caller: Caller | undefined, claims: ResourceClaims, rule: MatchRule): ClaimsDecision;
}

const anonymous: AccessDecision = { allowed: true, because: 'anonymous' };
const noIdentity: AccessDecision = { allowed: false, because: 'no-identity' };
const superAdmin: AccessDecision = { allowed: true, because: 'super-admin' };
const emptyList: AccessDecision = { allowed: false, because: 'empty-list' };
const byPublic: AccessDecision = { allowed: true, because: 'public' };

/** Grants everything to everyone, for development and testing (`auth.mode: anonymous`). */
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
  // No identified caller can have requested a change of claims (docs/decisions/0011).
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
  // The configuration names no superAdmin (docs/decisions/0088).
  mayRelabel: () => false,
  explain: (caller, claims, rule) => ({
    ...(rule === 'all' ? decideLabelUnchecked(caller, claims) : anyone(caller)),
    keys: [],
  }),
};

/** Applies roles, registry gates and claim filters, also for an empty `auth.authz`. */
export function createFullPolicy(roles: RoleRules): AccessPolicy {
  return {
    mode: 'full',
    seesEverything: isSuperAdmin,
    grantRoles: (claims) => grantRoles(roles, claims),
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

/** Any value satisfies an empty list, so only a superAdmin may set one. */
function decideLabel(caller: Caller | undefined, claims: ResourceClaims): AccessDecision {
  const isRefused = caller !== undefined && !isSuperAdmin(caller) && hasEmptyList(claims);
  return isRefused ? emptyList : decideClaims(caller, claims, 'all');
}

/** Auth-only mode does not compare claims; they take effect with `auth.authz`. */
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

/** Grants everyone entries whose claims the public claims satisfy. Entries without claims stay hidden. */
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
