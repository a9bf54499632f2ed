import { type ClaimSet, ROLES, type Role } from '@portolan/plugin-api';
import { holdsTexts, type KeyMatch, textsOf } from './match-claims.ts';

/** Rule that grants a role. The caller needs at least one listed value of every claim. */
export type RoleRule = Readonly<Record<string, string | readonly string[]>>;

/** Value of `auth.authz.roles`. A role without rules is granted to no one. */
export type RoleRules = Readonly<Partial<Record<Role, readonly RoleRule[]>>>;

export interface RoleGrant {
  readonly role: Role;
  /** Index among the role's rules. */
  readonly rule: number;
}

/**
 * Returns roles in the order of `ROLES`. One matching rule grants a role. An empty rule, or a rule with an
 * empty list, matches no one. The comparison is exact. Only strings and lists of strings in the token count.
 * Never throws.
 */
export function grantRoles(rules: RoleRules, claims: ClaimSet): readonly RoleGrant[] {
  return ROLES.flatMap((role) => {
    const rule = (rules[role] ?? []).findIndex((candidate) => matchesRule(candidate, claims));
    return rule < 0 ? [] : [{ role, rule }];
  });
}

/** Compares each claim of a rule with the caller's claims. */
export function matchRuleKeys(rule: RoleRule, callerClaims: ClaimSet): readonly KeyMatch[] {
  return Object.entries(rule).map(([key, value]) => ({
    key,
    required: textsOf(value),
    held: Object.hasOwn(callerClaims, key) ? textsOf(callerClaims[key]) : undefined,
    matches: holdsOneOf(callerClaims, key, textsOf(value)),
  }));
}

function matchesRule(rule: RoleRule, claims: ClaimSet): boolean {
  const keys = Object.entries(rule);
  return keys.length > 0 && keys.every(([key, value]) => holdsOneOf(claims, key, textsOf(value)));
}

function holdsOneOf(callerClaims: ClaimSet, key: string, values: readonly string[]): boolean {
  return Object.hasOwn(callerClaims, key) && holdsTexts(callerClaims[key], values, 'any');
}
