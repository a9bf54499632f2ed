import { type Caller, type ClaimSet, type ResourceClaims, ROLES, type Role } from '@portolan/plugin-api';
import { grantRoles, type RoleGrant, type RoleRules } from './granted-roles.ts';
import { emptyLists, type KeyMatch, matchesClaims, matchKeys, type MatchRule } from './match-claims.ts';

/** Why, in one word, for audit and explanations. */
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

/** A decision about claims, key by key. */
export interface ClaimsDecision extends AccessDecision {
  /** Empty where the claims were not looked at, or there are none. */
  readonly keys: readonly KeyMatch[];
}

/** A registry, as far as its gate goes. */
export interface GatedRegistry {
  readonly claims: ResourceClaims;
  /** Where it is public: the claims a reader without a token counts as holding. */
  readonly publicClaims?: ResourceClaims | undefined;
}

/**
 * What steps ask instead of asking for the mode. One policy is chosen at boot.
 * All functions are pure and total; a caller who is undefined is nobody.
 */
export interface AccessPolicy {
  readonly mode: 'full' | 'auth-only' | 'anonymous';
  /** Whether the caller sees every entry, whatever its claims, so that none needs to be asked about. */
  seesEverything(caller: Caller | undefined): boolean;
  /** The roles that a token's claims give, before the hook `resolveRoles`. */
  grantRoles(held: ClaimSet): readonly RoleGrant[];
  /** Whether the caller has one of the roles, or all of them as a superAdmin. */
  decideRole(caller: Caller | undefined, ...roles: readonly Role[]): AccessDecision;
  /** The gate: whether a request may read from a registry at all. */
  decideRegistryAccess(caller: Caller | undefined, registry: GatedRegistry): AccessDecision;
  /**
   * Whether a resource with these stored claims is shown, may be changed, or is
   * there at all for the caller. For entries: asked once for each distinct claims object.
   */
  decideRead(caller: Caller | undefined, resource: { readonly claims: ResourceClaims }): AccessDecision;
  /** Whether an entry is shown to readers of this registry: to the caller, or to everyone where it is public. */
  decideEntry(
    caller: Caller | undefined,
    registry: GatedRegistry,
    entry: { readonly claims: ResourceClaims },
  ): AccessDecision;
  /** Whether a request may give these claims to a resource. Only a superAdmin under full authorization may give an empty list. */
  decideLabel(caller: Caller | undefined, claims: ResourceClaims): AccessDecision;
  /** Whether a publish by the caller needs claims. */
  requiresClaims(caller: Caller | undefined): boolean;
  /** Whether a later version may carry other claims than its entry. They then become the claims of all versions. */
  mayRelabel(caller: Caller | undefined): boolean;
  /** As `decideRead` or, for claims in a request, as `decideLabel`, key by key. */
  explain(caller: Caller | undefined, claims: ResourceClaims, rule: MatchRule): ClaimsDecision;
}

const anonymous: AccessDecision = { allowed: true, because: 'anonymous' };
const noIdentity: AccessDecision = { allowed: false, because: 'no-identity' };
const superAdmin: AccessDecision = { allowed: true, because: 'super-admin' };
const emptyList: AccessDecision = { allowed: false, because: 'empty-list' };
const byPublic: AccessDecision = { allowed: true, because: 'public' };

/**
 * Everything is open to everyone: `auth.mode` is `anonymous`, meant for
 * development and testing (registry-authorization.md, section 1).
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
  // Nobody is asked who they are, so nobody has asked for it either (docs/decisions/0011).
  mayRelabel: () => false,
  explain: () => ({ ...anonymous, keys: [] }),
};

/** The policy of a server without `auth.authz`: every identified caller may do everything. */
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
  // Every caller has every role here, but nobody was named as superAdmin (docs/decisions/0088).
  mayRelabel: () => false,
  explain: (caller, claims, rule) => ({
    ...(rule === 'all' ? decideLabelUnchecked(caller, claims) : anyone(caller)),
    keys: [],
  }),
};

/** Roles, gates and filters all apply: there is an `auth.authz`, if an empty one. */
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

/** Auth-only mode does not compare claims. They count from the day on which `auth.authz` is configured. */
function decideLabelUnchecked(caller: Caller | undefined, claims: ResourceClaims): AccessDecision {
  return caller !== undefined && hasEmptyList(claims) ? emptyList : anyone(caller);
}

function hasEmptyList(claims: ResourceClaims): boolean {
  return emptyLists(claims).length > 0;
}

/** In this order: nobody, superAdmin, default-deny, the rule (registry-authorization.md, section 2, rules 3 and 4). */
function decideClaims(caller: Caller | undefined, claims: ResourceClaims, rule: MatchRule): AccessDecision {
  if (caller === undefined) return noIdentity;
  if (isSuperAdmin(caller)) return superAdmin;
  if (Object.keys(claims).length === 0) return { allowed: false, because: 'unlabelled' };
  return matchesClaims(caller.claims, claims, rule)
    ? { allowed: true, because: 'claims' }
    : { allowed: false, because: 'claims-missing' };
}

/** What readers without a token see, everyone sees: entries whose claims the public ones satisfy, never unlabelled ones. */
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
