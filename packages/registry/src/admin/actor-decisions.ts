import type { ResourceClaims } from '@portolan/plugin-api';
import { claimsBeyondCaller } from './admin-errors.ts';
import type { Actor } from './registry-admin.ts';

/** Whether a resource is there for the actor. */
export function maySee({ policy, caller }: Actor, resource: { readonly claims: ResourceClaims }): boolean {
  return policy.decideRead(caller, resource).allowed;
}

/** Throws ERR_CLAIMS_BEYOND_CALLER for claims that the actor may not give. */
export function requireLabel({ policy, caller }: Actor, claims: ResourceClaims): void {
  if (policy.decideLabel(caller, claims).allowed) return;
  const lacking = policy.explain(caller, claims, 'all').keys.filter(({ matches }) => !matches);
  throw claimsBeyondCaller(lacking.map(({ key }) => key));
}
