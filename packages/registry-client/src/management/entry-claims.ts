import { memberOf } from '@portolan/entry-format';
import type { ResourceClaims } from '@portolan/plugin-api';
import { serverAnswerUnusable } from './server-errors.ts';
import { type EntryAddress, pathOfEntry } from './entry-path.ts';
import type { ServerClient } from './server-client.ts';

/** The claims of an entry as the server has them, and their revision where it tells one. */
export interface StoredClaims {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly revision: string | undefined;
}

/** Asks for the claims of an entry. Throws what asking throws. */
export async function getClaims(
  client: ServerClient,
  entry: EntryAddress,
  source: string | undefined,
): Promise<StoredClaims> {
  const path = `${pathOfEntry(entry)}/claims`;
  const { body, etag } = await client.ask({ method: 'GET', path, query: { source } });
  const claims = memberOf(body, 'claims');
  if (typeof claims !== 'object' || claims === null)
    throw serverAnswerUnusable(`GET ${path}`, 'JSON without "claims"');
  return { claims: Object.fromEntries(Object.entries(claims)), revision: etag };
}

/** Gives an entry new claims; with `ifMatch` only when they still have that revision. Throws what asking throws. */
export async function setClaims(
  client: ServerClient,
  entry: EntryAddress,
  wanted: {
    readonly claims: ResourceClaims;
    readonly source: string | undefined;
    /** As the server told it, or without its quotes. */
    readonly ifMatch: string | undefined;
  },
): Promise<void> {
  const { claims, source, ifMatch } = wanted;
  const path = `${pathOfEntry(entry)}/claims`;
  await client.ask({ method: 'PUT', path, query: { source }, body: { claims }, ifMatch: quoted(ifMatch) });
}

/** An entity tag (RFC 9110, section 8.8.3), whose quotes are easily lost in a shell. */
function quoted(revision: string | undefined): string | undefined {
  if (revision === undefined || revision === '*' || /^(?:W\/)?".*"$/.test(revision)) return revision;
  return `"${revision}"`;
}
