import { setImmediate } from 'node:timers/promises';
import { answerUnusable, listForbidden } from '../errors.ts';
import { mapOf, textOf } from '../objects/cluster-object.ts';
import { type Offer, offerOf } from '../objects/offer.ts';
import { pathOf, type Resource } from '../objects/resource.ts';
import type { ClusterClient } from './cluster-client.ts';

/**
 * Number of objects per page. All of them are processed in one event loop turn, during which requests wait.
 */
const PAGE = '50';

/** Maximum number of pages of one list, which allows 250,000 objects. */
const MAX_PAGES = 5000;

/**
 * Maximum number of attempts to read a list. The server may drop the list's version before its end was read.
 */
const MAX_TURNS = 4;

/** A part of a cluster that is read as a unit. */
export interface Part {
  readonly resource: Resource;
  /** Namespace to read. Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly namePrefix: string;
}

/**
 * Reads page by page; other objects are not kept. Empty where the cluster does not have the resource. Throws
 * ERR_KUBERNETES_FORBIDDEN without permission to list it, and ERR_KUBERNETES_ANSWER when the server is no
 * cluster.
 */
export async function listOffers(
  client: ClusterClient,
  part: Part,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const offers = await listFromRoots(client, part, signal);
  if (offers !== undefined) return offers;
  if (part.resource.name === 'services') throw answerUnusable(NO_CLUSTER);
  // A recently started server does not know its custom resources yet, and responds as if there were none.
  await requireReady(client, signal);
  return (await listFromRoots(client, part, signal)) ?? [];
}

async function listFromRoots(
  client: ClusterClient,
  part: Part,
  signal: AbortSignal,
): Promise<readonly Offer[] | undefined> {
  for (const root of part.resource.roots) {
    const offers = await listFrom(client, part, root, signal);
    if (offers !== undefined) return offers;
  }
  return undefined;
}

/** Lists the objects at one API path. Undefined where the resource does not exist. */
async function listFrom(
  client: ClusterClient,
  part: Part,
  root: string,
  signal: AbortSignal,
): Promise<readonly Offer[] | undefined> {
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const offers = await listPages(client, part, root, signal);
    if (offers !== 'expired') return offers;
  }
  throw answerUnusable('a list that ran out before its end was read');
}

async function listPages(
  client: ClusterClient,
  { resource, namespace, labelSelector, namePrefix }: Part,
  root: string,
  signal: AbortSignal,
): Promise<readonly Offer[] | 'expired' | undefined> {
  const path = pathOf(root, resource, namespace);
  const selected = labelSelector === undefined ? {} : { labelSelector };
  const offers: Offer[] = [];
  let next: string | undefined = '';
  for (let pages = 1; next !== undefined; pages += 1) {
    if (pages > MAX_PAGES) throw answerUnusable('a list without end');
    const page = next === '' ? {} : { continue: next };
    const { status, body } = await client.get(path, { limit: PAGE, ...selected, ...page }, signal);
    if (status === 410) return 'expired';
    if (status === 404) return undefined;
    if (status === 403) throw listForbidden(resource.name, namespace);
    const { items } = body;
    if (status !== 200 || !Array.isArray(items)) throw answerUnusable(`no list of ${resource.name}`);
    await setImmediate();
    offers.push(...items.flatMap((item) => offerOf(item, { resource, root, namePrefix }) ?? []));
    next = textOf(mapOf(body['metadata'])['continue']);
  }
  return offers;
}

/**
 * Proxies of clusters respond like this for an unknown or removed cluster. That does not mean that the
 * entries are gone.
 */
const NO_CLUSTER = 'status 404 for what every cluster has, as if it were none';

/**
 * Throws when the API server is not ready. By default every authenticated user may request that; without the
 * permission, readiness is unknown and this succeeds.
 */
async function requireReady(client: ClusterClient, signal: AbortSignal): Promise<void> {
  const status = await client.statusOf('/readyz', signal);
  if (status === 404) throw answerUnusable(NO_CLUSTER);
  if (status >= 500) throw answerUnusable('that it is not ready yet');
}
