import { type ClaimSet, type Identity, isJsonObject } from '@portolan/plugin-api';

/** Claims that are internal to a proxy; services do not get them. */
const INTERNAL = ['tsid'];

/** Maximum number of sent actors of a delegated token. */
const MAX_ACTORS = 10;

/** Returns the principal that services get. It never contains the token itself. */
export function principalOf(caller: Identity | undefined): object | null {
  if (caller === undefined) return null;
  const { subject, claims, user } = caller;
  const name = user ?? textOf(claims['name']);
  const email = textOf(claims['email']);
  const groups: unknown = claims['groups'];
  const delegation = delegationOf(claims);
  return {
    sub: subject,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(Array.isArray(groups) ? { groups: groups.filter((group) => typeof group === 'string') } : {}),
    claims: Object.fromEntries(Object.entries(claims).filter(([claim]) => !INTERNAL.includes(claim))),
    ...(delegation === undefined ? {} : { delegation }),
  };
}

/** Returns the actors of a delegated token (RFC 8693, section 4.1), nearest first, as in the audit record. */
function delegationOf(claims: ClaimSet): object | undefined {
  if (!Object.hasOwn(claims, 'act')) return undefined;
  const chain: object[] = [];
  let omitted = 0;
  let malformedReason: string | undefined;
  for (let act: unknown = claims['act']; act !== undefined; ) {
    const actor: Readonly<Record<string, unknown>> = isJsonObject(act) ? act : {};
    const [iss, sub] = [textOf(actor['iss']), textOf(actor['sub'])];
    if (sub === undefined) {
      malformedReason = isJsonObject(act) ? 'an actor has no subject' : 'an actor is no object';
      break;
    }
    if (chain.length < MAX_ACTORS) chain.push({ ...(iss === undefined ? {} : { iss }), sub });
    else omitted += 1;
    act = actor['act'];
  }
  return {
    chain,
    truncated: omitted > 0,
    omitted,
    malformed: malformedReason !== undefined,
    ...(malformedReason === undefined ? {} : { malformedReason }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
