import { hash } from 'node:crypto';
import type { JsonObject, ResourceClaims } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { parseClaims } from './claim-sets.ts';
import type { Database } from './database-schema.ts';
import { type EngineName, isOneOf, listOfIds } from './engine.ts';

/** Maximum number of parameters in one statement, within the limits of both engines. */
const CHUNK = 500;

export interface RemoteAddress {
  readonly path: string;
  readonly url: string;
}

export interface RemoteClash extends RemoteAddress {
  readonly server: string;
}

/** Returns the remotes of a server's document, in order. */
export function remotesOf(document: JsonObject): readonly RemoteAddress[] {
  const { remotes } = document;
  if (!Array.isArray(remotes)) return [];
  return remotes.flatMap((remote: unknown, at) => {
    const url: unknown =
      typeof remote === 'object' && remote !== null ? Reflect.get(remote, 'url') : undefined;
    return typeof url === 'string' ? [{ path: `remotes[${at}].url`, url }] : [];
  });
}

/** Returns the hashes by which servers with these remotes are looked up. */
export function remoteHashes(remotes: readonly RemoteAddress[]): readonly string[] {
  return [...new Set(remotes.map(({ url }) => hashOf(url)))];
}

export async function replaceRemotes(
  db: Kysely<Database>,
  versions: readonly { readonly id: number; readonly remotes: readonly string[] }[],
): Promise<void> {
  const ids = versions.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += CHUNK) {
    await db
      .deleteFrom('server_remote')
      .where('version_id', 'in', ids.slice(at, at + CHUNK))
      .execute();
  }
  const rows = versions.flatMap(({ id, remotes }) =>
    remotes.map((url_hash) => ({ version_id: id, url_hash })),
  );
  for (let at = 0; at < rows.length; at += CHUNK) {
    await db
      .insertInto('server_remote')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

/**
 * Returns remotes of other servers (MCP registry: a remote belongs to one server). Ignores withdrawn
 * versions, and servers whose claims `mayRead` rejects, so that nothing about them leaks.
 */
export async function findRemoteClashes(
  db: Kysely<Database>,
  engine: EngineName,
  server: { readonly name: string; readonly remotes: readonly RemoteAddress[] },
  mayRead: (claims: ResourceClaims) => boolean,
): Promise<readonly RemoteClash[]> {
  const clashes: RemoteClash[] = [];
  for (let at = 0; at < server.remotes.length; at += CHUNK) {
    const some = server.remotes.slice(at, at + CHUNK);
    const owners = await findOwners(db, engine, server.name, remoteHashes(some), mayRead);
    for (const remote of some) {
      const owner = owners.get(hashOf(remote.url));
      if (owner !== undefined) clashes.push({ ...remote, server: owner });
    }
  }
  return clashes;
}

/** Returns the first server name for each hash. */
async function findOwners(
  db: Kysely<Database>,
  engine: EngineName,
  name: string,
  hashes: readonly string[],
  mayRead: (claims: ResourceClaims) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const others = db
    .selectFrom('server_remote as remote')
    .innerJoin('entry_version as v', 'v.id', 'remote.version_id')
    .where('remote.url_hash', 'in', hashes)
    .where('v.name', '<>', name)
    .where('v.status', '<>', 'deleted');
  const classes = await others
    .innerJoin('claim_set', 'claim_set.id', 'v.claim_set_id')
    .select(['claim_set.id', 'claim_set.canonical'])
    .distinct()
    .execute();
  const readable = classes.filter(({ canonical }) => mayRead(parseClaims(canonical)));
  if (readable.length === 0) return new Map();
  const ids = listOfIds(
    engine,
    readable.map(({ id }) => id),
  );
  const rows = await others
    .where(isOneOf(engine, sql.ref<number>('v.claim_set_id'), ids))
    .select(['remote.url_hash', (eb) => eb.fn.min('v.name').as('name')])
    .groupBy('remote.url_hash')
    .execute();
  return new Map(rows.map((row) => [row.url_hash, row.name]));
}

function hashOf(url: string): string {
  return hash('sha256', url, 'base64url');
}
