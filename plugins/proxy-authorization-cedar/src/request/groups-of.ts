import { type ClaimSet, isJsonObject } from '@portolan/plugin-api';
import type { CedarSettings } from '../cedar-config.ts';

const USUAL_CLAIMS = ['groups', 'roles', 'cognito:groups'] as const;

/** Returns groups of the first existing group claim, and those of the role claim. */
export function groupsOf(
  claims: ClaimSet,
  { group_claim_name, role_claim_name }: Pick<CedarSettings, 'group_claim_name' | 'role_claim_name'>,
): readonly string[] {
  const names = [group_claim_name, ...USUAL_CLAIMS].filter((name) => name !== '');
  const first = names.map((name) => findClaim(claims, name)).find((value) => value !== undefined);
  const roles = role_claim_name === '' ? undefined : findClaim(claims, role_claim_name);
  return [...new Set([...textsIn(first), ...textsIn(roles)])];
}

/** Prefers the literal name, which can be a URL, over a path of object keys. */
function findClaim(claims: ClaimSet, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let claim: unknown = claims;
  for (const part of name.split('.')) {
    if (!isJsonObject(claim) || !Object.hasOwn(claim, part)) return undefined;
    claim = claim[part];
  }
  return claim ?? undefined;
}

function textsIn(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item): item is string => typeof item === 'string' && item.isWellFormed());
}
