import { createHash } from 'node:crypto';
import type {
  ClientExchange,
  ForwardedHeader,
  OutgoingCredentials,
  OutgoingRequest,
} from '@portolan/plugin-api';
import { checkForwardedHeader } from '../forward-headers.ts';
import type { Policy } from '../policy/policy.ts';

/** Who proves to the server who asks. */
export interface CredentialSources {
  readonly backend: Pick<OutgoingCredentials, 'prove'> | undefined;
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
  return (
    backend !== undefined || policy?.all.some(({ instance }) => instance.credentials !== undefined) === true
  );
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
  { method, url, headers, body }: UnprovenRequest,
  exchange: ClientExchange | undefined,
  signal: AbortSignal,
): Promise<Proof> {
  const outgoing: OutgoingRequest = {
    method,
    url: new URL(url),
    headers: recordOf(headers),
    bodyHash: async () =>
      createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
  };
  const all: ForwardedHeader[] = [...((await backend?.prove(outgoing, signal)) ?? [])];
  if (exchange !== undefined) {
    for (const { instance } of policy?.all ?? []) {
      all.push(...((await instance.credentials?.(outgoing, exchange, signal)) ?? []));
    }
  }
  all.forEach(checkForwardedHeader);
  const given = new Map(all.map(({ name, value }) => [name.toLowerCase(), value]));
  const kept = headers.filter((_field, at) => !given.has(String(headers[at - (at % 2)]).toLowerCase()));
  return { headers: [...kept, ...[...given].flat()], given: new Set(given.keys()) };
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
