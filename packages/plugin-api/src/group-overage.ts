import type { ClaimSet } from './claims.ts';
import { isJsonObject } from './json-object.ts';

/**
 * Returns a sentence about a token of Microsoft Entra that leaves its groups out, since its owner is in too many of
 * them (group overage); undefined for any other token. Such a token has `hasgroups`, or names `groups` below
 * `_claim_names`. Portolan queries no directory: the token has no groups.
 */
export function findGroupOverage(claims: ClaimSet): string | undefined {
  const { groups, hasgroups: hasGroups, _claim_names: names } = claims;
  const isElsewhere = isJsonObject(names) && names['groups'] !== undefined;
  if (groups !== undefined || !(isElsewhere || hasGroups === true || hasGroups === 'true')) return undefined;
  const claim = isElsewhere ? '_claim_names' : 'hasgroups';
  return `The token has no groups: it has ${claim} instead, since its owner is in too many groups (group overage). Use app roles.`;
}
