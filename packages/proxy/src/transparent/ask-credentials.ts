import { createHash } from 'node:crypto';
import {
  type ClientExchange,
  type ForwardedHeader,
  memberOf,
  type OutgoingCredentials,
  type OutgoingRequest,
} from '@portolan/plugin-api';
import { credentialsBroken } from '../errors/backend-errors.ts';
import { checkForwardedHeader } from '../forward-headers.ts';
import { isPromise } from '../policy/is-promise.ts';
import { middlewareBroken } from '../policy/policy-errors.ts';
import type { Policy } from '../policy/policy.ts';

/** Who proves to the server who asks. */
export interface CredentialSources {
  readonly backend: Pick<OutgoingCredentials, 'credentials'> | undefined;
  readonly policy: Policy | undefined;
}

/** A request whose headers are those for the server already. */
export interface UnprovenRequest {
  readonly method: string;
  readonly url: URL;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: string | Buffer | undefined;
}

/** Whether anybody is asked for credentials at all. */
export function hasCredentials({ backend, policy }: CredentialSources): boolean {
  return backend !== undefined || (policy !== undefined && policy.proving.length > 0);
}

/** A request with credentials on it. */
export interface Proof {
  readonly headers: readonly string[];
  /** Names, in small letters, of those that prove something. */
  readonly given: ReadonlySet<string>;
}

/** Asks for the credentials of one request, and puts them into its headers. The server's come first, later ones win. */
export async function askCredentials(
  { backend, policy }: CredentialSources,
  unproven: UnprovenRequest,
  exchange: ClientExchange | undefined,
  signal: AbortSignal,
): Promise<Proof> {
  const { headers } = unproven;
  const outgoing = outgoingOf(unproven);
  const all: ForwardedHeader[] = [];
  if (backend !== undefined)
    all.push(...checked(await backend.credentials(outgoing, signal), credentialsBroken));
  if (exchange !== undefined) {
    for (const { name, instance } of policy?.proving ?? []) {
      const giving = instance.credentials?.(outgoing, exchange, signal);
      // Most give them at once, and a wait is dear.
      const given = isPromise(giving) ? await giving : giving;
      all.push(...checked(given, (what, cause) => middlewareBroken(name, what, cause)));
    }
  }
  if (all.length === 0) return { headers, given: NOTHING };
  const given = new Map(all.map(({ name, value }) => [name.toLowerCase(), value]));
  const kept = headers.filter((_field, at) => !given.has(String(headers[at - (at % 2)]).toLowerCase()));
  return { headers: [...kept, ...[...given].flat()], given: new Set(given.keys()) };
}

const NOTHING: ReadonlySet<string> = new Set();

/** What those who prove something see of a request, made when they look: most look at little of it. */
function outgoingOf({ method, url, headers, body }: UnprovenRequest): OutgoingRequest {
  let ownUrl: URL | undefined;
  let named: OutgoingRequest['headers'] | undefined;
  return {
    method,
    get url() {
      return (ownUrl ??= new URL(url));
    },
    get headers() {
      return (named ??= recordOf(headers));
    },
    bodyHash: async () =>
      createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
  };
}

/** Whoever gives them need not be written in TypeScript; values are in no error. */
function checked(
  given: unknown,
  broken: (what: string, cause?: unknown) => Error,
): readonly ForwardedHeader[] {
  if (!Array.isArray(given)) throw broken('its credentials are no list of headers');
  return given.map((header: unknown) => {
    const [name, value] = [memberOf(header, 'name'), memberOf(header, 'value')];
    if (typeof name !== 'string' || typeof value !== 'string')
      throw broken('one of its credentials is no name and value');
    try {
      checkForwardedHeader({ name, value });
    } catch (error) {
      throw broken('one of its credentials cannot be sent', error);
    }
    return { name, value };
  });
}

/** Headers by their names; several of one name as a list. */
export function recordOf(headers: readonly string[]): Record<string, string | readonly string[]> {
  const record: Record<string, string | readonly string[]> = Object.create(null);
  for (let at = 0; at < headers.length; at += 2) {
    const name = String(headers[at]).toLowerCase();
    const before = record[name];
    const value = headers[at + 1] ?? '';
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}
