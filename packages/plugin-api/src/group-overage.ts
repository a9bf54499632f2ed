import type { ClaimSet } from './claims.ts';
import { isJsonObject } from './json-object.ts';

/**
 * Returns a sentence about a Microsoft Entra token that omits groups because the user has too many: it has
 * `hasgroups`, or lists `groups` in `_claim_names`. Portolan queries no directory, so the token has no
 * groups.
 */
export function findGroupOverage(claims: ClaimSet): string | undefined {
  const { groups, hasgroups: hasGroups, _claim_names: names } = claims;
  const isElsewhere = isJsonObject(names) && names['groups'] !== undefined;
  if (groups !== undefined || !(isElsewhere || hasGroups === true || hasGroups === 'true')) return undefined;
  const claim = isElsewhere ? '_claim_names' : 'hasgroups';
  return `The token has no groups: it has ${claim} instead, since its owner is in too many groups (group overage). Use app roles.`;
}
