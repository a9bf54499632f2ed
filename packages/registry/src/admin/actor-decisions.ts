import { emptyLists } from '@portolan/authorization';
import type { PortolanError, ResourceClaims } from '@portolan/plugin-api';
import { claimsBeyondCaller, emptyListRefused } from './admin-errors.ts';
import type { Actor } from './registry-admin.ts';

export function maySee({ policy, caller }: Actor, resource: { readonly claims: ResourceClaims }): boolean {
  return policy.decideRead(caller, resource).allowed;
}

/** Throws ERR_CLAIMS_BEYOND_CALLER when the actor may not set these claims on a resource. */
export function requireLabel(actor: Actor, claims: ResourceClaims): void {
  const fault = findLabelFault(actor, claims);
  if (fault !== undefined) throw fault;
}

/** Returns ERR_CLAIMS_BEYOND_CALLER when the actor may not set these claims; otherwise undefined. */
export function findLabelFault({ policy, caller }: Actor, claims: ResourceClaims): PortolanError | undefined {
  const { allowed, because } = policy.decideLabel(caller, claims);
  if (allowed) return undefined;
  if (because === 'empty-list') return emptyListRefused(emptyLists(claims));
  const lacking = policy.explain(caller, claims, 'all').keys.filter(({ matches }) => !matches);
  return claimsBeyondCaller(lacking.map(({ key }) => key));
}
