export type {
  AccessExplanation,
  AccessQuestion,
  EntryQuestion,
  ExplainedDecision,
  ExplainedKey,
  ExplainedRole,
  ExplainedSkip,
} from './access-explanation.ts';
export { anonymousPolicy, authOnlyPolicy, createFullPolicy } from './access-policy.ts';
export type { AccessDecision, AccessPolicy, Because, GatedRegistry } from './access-policy.ts';
export { AUTH_ONLY_WARNING, choosePolicy } from './choose-policy.ts';
export { explainAccess } from './explain-access.ts';
export { grantRoles } from './granted-roles.ts';
export type { RoleRule, RoleRules } from './granted-roles.ts';
export { mapClaims } from './map-claims.ts';
export type { ClaimMapping } from './map-claims.ts';
export { emptyLists, matchesClaims, matchKeys } from './match-claims.ts';
export { policyOfCaller, resolveCaller } from './roles-plugin.ts';
export type { RolesHook } from './roles-plugin.ts';
export { createRolesPlugin } from './roles-plugin.ts';
export { parseResourceClaims } from './resource-claims.ts';
