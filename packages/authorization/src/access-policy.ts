import type { Caller, ResourceClaims } from '@portolan/plugin-api';

export interface AccessDecision {
  readonly allowed: boolean;
  /** Why, in one word, for audit and explanations. */
  readonly because: string;
}

/**
 * What steps ask instead of asking for the mode. One policy is chosen at boot.
 * All functions are pure and total.
 */
export interface AccessPolicy {
  readonly mode: 'anonymous';
  /** False: claims are not looked at, so every entry is shown and none needs to be asked about. */
  readonly checksClaims: boolean;
  /** Whether a request may read from a registry at all. */
  decideRegistryAccess(
    caller: Caller | undefined,
    registry: { readonly claims: ResourceClaims },
  ): AccessDecision;
  /** Whether entries with these claims are shown. Asked once for each distinct claims object, not for each entry. */
  decideRead(caller: Caller | undefined, resource: { readonly claims: ResourceClaims }): AccessDecision;
}

const anonymous: AccessDecision = { allowed: true, because: 'anonymous' };

/**
 * Everything is open to everyone: `auth.mode` is `anonymous`, meant for
 * development and testing (registry-authorization.md, section 1).
 */
export const anonymousPolicy: AccessPolicy = {
  mode: 'anonymous',
  checksClaims: false,
  decideRegistryAccess: () => anonymous,
  decideRead: () => anonymous,
};
