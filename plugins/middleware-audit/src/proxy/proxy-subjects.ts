import { type ClaimSet, type ClientRequest, isJsonObject } from '@portolan/plugin-api';
import { plain } from '../audit-line.ts';
import { maskText } from '../mask-text.ts';

/** Returns the subjects of a line. The name of the client program is self-declared. */
export function proxySubjectsOf({ caller, program }: Pick<ClientRequest, 'caller' | 'program'>) {
  const claims = caller?.claims ?? {};
  const user = ['name', 'preferred_username', 'email'].map((claim) => textIn(claims, claim)).find(isThere);
  const clientName = textIn(claims, 'client_name') ?? program?.name;
  const clientVersion = textIn(claims, 'client_version') ?? program?.version;
  return {
    user: user === undefined ? 'anonymous' : plain(user),
    ...(caller === undefined ? {} : { user_id: plain(caller.subject) }),
    ...(clientName === undefined ? {} : { client_name: plain(maskText(clientName)) }),
    ...(clientVersion === undefined ? {} : { client_version: plain(maskText(clientVersion)) }),
  };
}

interface Actor {
  readonly iss?: string;
  readonly sub: string;
}

/** Returns the actors of a delegated token, nearest first (claim `act`, RFC 8693). */
export function delegationOf(claims: ClaimSet | undefined, maxDepth: number) {
  if (claims === undefined || !Object.hasOwn(claims, 'act')) return undefined;
  const chain: Actor[] = [];
  let omitted = 0;
  let malformedReason: string | undefined;
  let act: unknown = claims['act'];
  for (let depth = 0; act !== undefined; depth += 1) {
    if (!isJsonObject(act)) malformedReason = 'an actor is no object';
    const actor = isJsonObject(act) ? actorOf(act) : undefined;
    if (actor === undefined) {
      malformedReason ??= 'an actor has no subject';
      break;
    }
    if (depth < maxDepth) chain.push(actor);
    else omitted += 1;
    act = isJsonObject(act) && Object.hasOwn(act, 'act') ? act['act'] : undefined;
  }
  return {
    chain,
    truncated: omitted > 0,
    omitted,
    malformed: malformedReason !== undefined,
    ...(malformedReason === undefined ? {} : { malformedReason }),
  };
}

function actorOf(act: Readonly<Record<string, unknown>>): Actor | undefined {
  const [iss, sub] = [textIn(act, 'iss'), textIn(act, 'sub')];
  if (sub === undefined) return undefined;
  return { ...(iss === undefined ? {} : { iss: plain(iss) }), sub: plain(sub) };
}

function textIn(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isThere(value: string | undefined): value is string {
  return value !== undefined;
}
