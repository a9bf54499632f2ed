import type { Identity } from '@portolan/plugin-api';

/**
 * Whom a session belongs to: issuer and subject, since two issuers may give the
 * same name to two people. Undefined where nobody has to say who they are.
 */
export function principalOf(caller: Identity | undefined): string | undefined {
  if (caller === undefined) return undefined;
  return JSON.stringify([caller.claims['iss'] ?? caller.provider ?? null, caller.subject]);
}
