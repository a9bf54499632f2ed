import { listOf } from '@portolan/entry-format';
import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { serverAnswerUnusable } from './server-errors.ts';
import type { Outcome, ServerClient } from './server-client.ts';
import type { ServerReply } from './server-reply.ts';

export type ResourceType = 'source' | 'registry';

export interface StoredResource {
  readonly body: JsonObject;
  readonly revision: string | undefined;
}

/** Precondition of a put: none, the resource must not exist, or it must still have a revision. */
export type PutCondition = 'always' | 'if-new' | { readonly revision: string | undefined };

const PATHS = { source: '/v1/sources', registry: '/v1/registries' } as const satisfies Record<
  ResourceType,
  string
>;
const MEMBERS = { source: 'sources', registry: 'registries' } as const satisfies Record<ResourceType, string>;

/** Lists the resources that the caller may see. Throws request errors. */
export async function listResources(
  client: ServerClient,
  type: ResourceType,
): Promise<readonly JsonObject[]> {
  const path = PATHS[type];
  const { body } = await client.ask({ method: 'GET', path });
  if (!isJsonObject(body) || !Array.isArray(body[MEMBERS[type]]))
    throw serverAnswerUnusable(`GET ${path}`, `JSON without "${MEMBERS[type]}"`);
  return listOf(body, MEMBERS[type]).filter(isJsonObject);
}

export async function getResource(
  client: ServerClient,
  type: ResourceType,
  name: string,
): Promise<StoredResource> {
  const path = pathOf(type, name);
  return stored(`GET ${path}`, await client.ask({ method: 'GET', path }));
}

/**
 * Creates or replaces a resource. Returns the server's response, even if the server refused the request.
 * Throws like `send`.
 */
export async function putResource(
  client: ServerClient,
  type: ResourceType,
  { name, definition }: { readonly name: string; readonly definition: JsonObject },
  condition: PutCondition,
): Promise<Outcome> {
  const conditions =
    condition === 'always'
      ? {}
      : condition === 'if-new'
        ? { ifNoneMatch: '*' }
        : { ifMatch: condition.revision };
  return await client.send({ method: 'PUT', path: pathOf(type, name), body: definition, ...conditions });
}

/** Deletes a resource if it still has the revision. Throws request errors. */
export async function removeResource(
  client: ServerClient,
  type: ResourceType,
  { name, revision }: { readonly name: string; readonly revision: string | undefined },
): Promise<void> {
  await client.ask({ method: 'DELETE', path: pathOf(type, name), ifMatch: revision });
}

/**
 * Requests a sync. `full` reads unchanged content too. `acceptRemovals` permits the sync to remove most
 * entries. Throws request errors.
 */
export async function requestSync(
  client: ServerClient,
  name: string,
  { full, acceptRemovals = false }: { readonly full: boolean; readonly acceptRemovals?: boolean },
): Promise<void> {
  const query = {
    ...(full ? { full: 'true' } : {}),
    ...(acceptRemovals ? { acceptRemovals: 'true' } : {}),
  };
  await client.ask({ method: 'POST', path: `${pathOf('source', name)}/sync`, query });
}

function pathOf(type: ResourceType, name: string): string {
  return `${PATHS[type]}/${encodeURIComponent(name)}`;
}

function stored(what: string, { body, etag }: ServerReply): StoredResource {
  if (!isJsonObject(body)) throw serverAnswerUnusable(what, 'JSON that is no object');
  return { body, revision: etag };
}
