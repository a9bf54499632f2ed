import { memberOf } from '@portolan/entry-format';
import type { ResourceClaims } from '@portolan/plugin-api';
import { serverAnswerUnusable } from './server-errors.ts';
import { type EntryAddress, pathOfEntry } from './entry-path.ts';
import type { ServerClient } from './server-client.ts';

export interface StoredClaims {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly revision: string | undefined;
}

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

/** Sets the claims; with `ifMatch` only if they still have that revision. Throws request errors. */
export async function setClaims(
  client: ServerClient,
  entry: EntryAddress,
  requested: {
    readonly claims: ResourceClaims;
    readonly source: string | undefined;
    /** Revision as the server reported it, with or without quotes. */
    readonly ifMatch: string | undefined;
  },
): Promise<void> {
  const { claims, source, ifMatch } = requested;
  const path = `${pathOfEntry(entry)}/claims`;
  await client.ask({ method: 'PUT', path, query: { source }, body: { claims }, ifMatch: quoted(ifMatch) });
}

/** Restores the quotes of an entity tag (RFC 9110, section 8.8.3), which shells remove easily. */
function quoted(revision: string | undefined): string | undefined {
  if (revision === undefined || revision === '*' || /^(?:W\/)?".*"$/.test(revision)) return revision;
  return `"${revision}"`;
}
