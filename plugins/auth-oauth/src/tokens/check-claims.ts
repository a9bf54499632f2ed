import type { JsonObject } from '../json.ts';
import type { ParsedToken } from './parse-token.ts';
import { ALGORITHMS } from '../keys/signing-key.ts';
import { trimIssuer } from '../url-rules.ts';
import type { Fault } from './verdict.ts';

/** Maximum difference between the clocks of provider and server, in seconds. */
export const CLOCK_SKEW_S = 60;

export interface Expected {
  /** Expected issuer. Undefined: the issuer is not compared. */
  readonly issuerUrl: string | undefined;
  /**
   * Expected audience. Undefined with `clientIds`: tokens must have no `aud`. Undefined without: any audience
   * is accepted.
   */
  readonly audience: string | undefined;
  /** Clients whose tokens are accepted; undefined: any client. */
  readonly clientIds: readonly string[] | undefined;
}

/**
 * Returns the faults of a token that are visible without its signature, the most useful first. For a token of
 * another issuer, returns only that fault.
 */
export function findTokenFaults(
  { header, claims }: ParsedToken,
  expected: Expected,
  now: Date,
): readonly Fault[] {
  const issuer = findIssuerFault(claims, expected, true);
  if (issuer.length > 0) return issuer;
  return [
    ...findHeaderFaults(header),
    ...findAudienceFault(claims, expected),
    ...findClientFault(claims, expected),
    ...findTimeFaults(claims, now, true),
    ...findSubjectFault(claims),
  ];
}

/** Returns the faults of introspected claims, of which some may be missing (RFC 7662, section 2.2). */
export function findClaimFaults(claims: JsonObject, expected: Expected, now: Date): readonly Fault[] {
  return [
    ...findIssuerFault(claims, expected, false),
    ...findAudienceFault(claims, expected),
    ...findClientFault(claims, expected),
    ...findTimeFaults(claims, now, false),
    ...findSubjectFault(claims),
  ];
}

function findHeaderFaults(header: JsonObject): readonly Fault[] {
  const { alg, typ, kid, crit, b64 } = header;
  const faults: Fault[] = [];
  if (!ALGORITHMS.some((name) => name === alg)) {
    faults.push({
      reason: 'algorithm',
      because: `its algorithm ${show(alg)} is not one of ${ALGORITHMS.join(', ')}`,
    });
  }
  if (typ !== undefined && !(typeof typ === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ))) {
    faults.push({ reason: 'type', because: `its type ${show(typ)} is neither JWT nor at+jwt` });
  }
  // RFC 7515, section 4.1.11: unsupported critical parameters invalidate the token, and none is supported.
  if (crit !== undefined || b64 !== undefined) {
    faults.push({
      reason: 'critical-header',
      because: 'its header requires an unknown extension (crit, b64)',
    });
  }
  if (typeof kid !== 'string' || kid === '') {
    faults.push({ reason: 'key-id', because: 'its header names no key (kid)' });
  }
  return faults;
}

function findIssuerFault({ iss }: JsonObject, { issuerUrl }: Expected, needed: boolean): readonly Fault[] {
  if (issuerUrl === undefined || (iss === undefined && !needed)) return [];
  if (typeof iss === 'string' && trimIssuer(iss) === trimIssuer(issuerUrl)) return [];
  return [{ reason: 'issuer', because: `its issuer ${show(iss)} is not ${show(issuerUrl)}` }];
}

function findAudienceFault({ aud }: JsonObject, { audience, clientIds }: Expected): readonly Fault[] {
  const remaining: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audience === undefined) {
    // Without this check, a token of this client for another API would be accepted.
    if (clientIds === undefined || aud === undefined) return [];
    const because = `its audience is ${show(aud)}, and with clientIds alone only tokens without aud are accepted; name the audience to accept it`;
    return [{ reason: 'audience', because }];
  }
  if (remaining.includes(audience)) return [];
  return [{ reason: 'audience', because: `its audience ${show(aud)} does not contain ${show(audience)}` }];
}

/**
 * Returns the fault of a token's client: `client_id` (RFC 9068, Cognito), else `azp` (Keycloak), else `cid`
 * (Okta).
 */
function findClientFault(claims: JsonObject, { clientIds }: Expected): readonly Fault[] {
  if (clientIds === undefined) return [];
  const name = ['client_id', 'azp', 'cid'].find((claim) => claims[claim] !== undefined);
  const client = name === undefined ? undefined : claims[name];
  if (typeof client === 'string' && clientIds.includes(client)) return [];
  const match =
    name === undefined ? 'it names no client (client_id, azp, cid)' : `its client (${name}) ${show(client)}`;
  const expected = `none of ${show(clientIds)}`;
  return [{ reason: 'client', because: name === undefined ? match : `${match} is ${expected}` }];
}

function findTimeFaults({ exp, nbf, iat }: JsonObject, now: Date, expNeeded: boolean): readonly Fault[] {
  const nowS = now.getTime() / 1000;
  const faults: Fault[] = [];
  if (exp === undefined ? expNeeded : !Number.isFinite(exp)) {
    faults.push({
      reason: 'expiry',
      because: `its expiry (exp) is ${show(exp)}; expected a number of seconds`,
    });
  } else if (Number(exp) + CLOCK_SKEW_S <= nowS) {
    faults.push({ reason: 'expired', because: `it expired at ${moment(exp)}` });
  }
  if (nbf !== undefined && !(Number.isFinite(nbf) && Number(nbf) <= nowS + CLOCK_SKEW_S)) {
    faults.push({ reason: 'not-yet-valid', because: `it is not valid before ${moment(nbf)} (nbf)` });
  }
  if (iat !== undefined && !(Number.isFinite(iat) && Number(iat) <= nowS + CLOCK_SKEW_S)) {
    faults.push({
      reason: 'issued-in-future',
      because: `it was issued in the future, at ${moment(iat)} (iat)`,
    });
  }
  return faults;
}

function findSubjectFault({ sub }: JsonObject): readonly Fault[] {
  if (typeof sub === 'string' && sub !== '') return [];
  return [{ reason: 'subject', because: `its subject (sub) is ${show(sub)}; expected a string` }];
}

function moment(seconds: unknown): string {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? show(seconds) : date.toISOString();
}

const MAX_SHOWN = 200;

function show(value: unknown): string {
  if (value === undefined) return '(left out)';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
