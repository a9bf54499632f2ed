import type { Identity } from '@portolan/plugin-api';

/**
 * Returns a text of issuer and subject, because different issuers may use the same subject. Undefined when
 * callers do not authenticate.
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

/** Cache by object: a provider that caches tokens returns the same identity for a token. */
const KNOWN = new WeakMap<Identity, string>();
