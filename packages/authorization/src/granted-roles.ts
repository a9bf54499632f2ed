import { type ClaimSet, ROLES, type Role } from '@portolan/plugin-api';
import { holdsTexts, type KeyMatch, textsOf } from './match-claims.ts';

/** One rule of a role: claims with the values of which a caller needs one each. */
export type RoleRule = Readonly<Record<string, string | readonly string[]>>;

/** `auth.authz.roles`: rules by role; a role without rules is nobody's. */
export type RoleRules = Readonly<Partial<Record<Role, readonly RoleRule[]>>>;

/** A role, and the first of its rules that gave it. */
export interface RoleGrant {
  readonly role: Role;
  /** Position among the rules of the role, from 0. */
  readonly rule: number;
}

/**
 * The roles that claims give, in the order of `ROLES`: one of a role's rules has
 * to match, with every key of it (registry-authorization.md, section 2, rules 1
 * and 2). An empty rule, and an empty list in one, match nobody. Names and
 * texts are compared exactly; of the claims, only texts and lists of them count.
 * Never throws.
 */
export function grantRoles(rules: RoleRules, held: ClaimSet): readonly RoleGrant[] {
  return ROLES.flatMap((role) => {
    const rule = (rules[role] ?? []).findIndex((candidate) => matchesRule(candidate, held));
    return rule < 0 ? [] : [{ role, rule }];
  });
}

/** Every key of a rule, and whether the caller holds one of its values. */
export function matchRuleKeys(rule: RoleRule, held: ClaimSet): readonly KeyMatch[] {
  return Object.entries(rule).map(([key, value]) => ({
    key,
    required: textsOf(value),
    held: Object.hasOwn(held, key) ? textsOf(held[key]) : undefined,
    matches: holdsOneOf(held, key, textsOf(value)),
  }));
}

function matchesRule(rule: RoleRule, held: ClaimSet): boolean {
  const keys = Object.entries(rule);
  return keys.length > 0 && keys.every(([key, value]) => holdsOneOf(held, key, textsOf(value)));
}

function holdsOneOf(held: ClaimSet, key: string, values: readonly string[]): boolean {
  return Object.hasOwn(held, key) && holdsTexts(held[key], values, 'any');
}
