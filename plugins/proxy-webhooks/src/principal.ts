import { type Identity, isJsonObject } from '@portolan/plugin-api';

/** Claims that only mean something inside of a proxy; no receiver is to see them. */
const INTERNAL = ['tsid'];

/** Most actors of a delegated token that are told. */
const MOST_ACTORS = 10;

/** Who asks, as webhooks are told: never with the token itself. */
export function principalOf(caller: Identity | undefined): object | null {
  if (caller === undefined) return null;
  const { subject, claims, user } = caller;
  const name = user ?? textOf(claims['name']);
  const email = textOf(claims['email']);
  const groups: unknown = claims['groups'];
  const chain = actorsOf(claims['act']);
  return {
    sub: subject,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(Array.isArray(groups) ? { groups: groups.filter((group) => typeof group === 'string') } : {}),
    claims: Object.fromEntries(Object.entries(claims).filter(([claim]) => !INTERNAL.includes(claim))),
    ...(chain.length === 0 ? {} : { delegation: { chain } }),
  };
}

/** RFC 8693, 4.1: who acts for whom, the nearest first. */
function actorsOf(act: unknown): readonly object[] {
  const actors: object[] = [];
  for (let actor = act; isJsonObject(actor) && actors.length < MOST_ACTORS; actor = actor['act']) {
    const [iss, sub] = [textOf(actor['iss']), textOf(actor['sub'])];
    actors.push({ ...(iss === undefined ? {} : { iss }), ...(sub === undefined ? {} : { sub }) });
  }
  return actors;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
