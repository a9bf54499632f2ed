import type { Identity } from '@portolan/plugin-api';

/**
 * Whom a session belongs to: issuer and subject, since two issuers may give the
 * same name to two people. Undefined where nobody has to say who they are.
 */
export function principalOf(caller: Identity | undefined): string | undefined {
  if (caller === undefined) return undefined;
  let principal = KNOWN.get(caller);
  if (principal === undefined) {
    principal = JSON.stringify([caller.claims['iss'] ?? caller.provider ?? null, caller.subject]);
    if (Object.isFrozen(caller)) KNOWN.set(caller, principal);
  }
  return principal;
}

/** A provider that remembers tokens gives the same identity for the same token. */
const KNOWN = new WeakMap<Identity, string>();
