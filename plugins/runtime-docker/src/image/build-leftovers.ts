import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { EngineClient } from '../engine/engine-client.ts';
import { engineFault, statusOf, wordsOf } from '../engine/engine-fault.ts';
import { unlessVanishing } from './unless-vanishing.ts';

/** What tells the leftovers of one build from everything else on the engine. */
export interface BuildTraces {
  /** Short ids of images that the builder named in its output. */
  readonly images: Set<string>;
  /** Id of the container whose network only the containers of this build share; undefined for a build without one. */
  readonly networkOf: string | undefined;
}

interface KnownImage {
  readonly id: string;
  readonly parent: string;
  readonly isNamed: boolean;
}

const SHORT = 12;
const GONE_MS = 10_000;
const LOOK_MS = 50;
/** Not there, or in use by something else: both leave nothing of ours to do. */
const SETTLED: ReadonlySet<number | undefined> = new Set([404, 409]);

/** Ids of all images, those between the layers included. */
export async function imageIds(client: EngineClient, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  return new Set((await listAll(client, signal)).map(({ id }) => id));
}

/**
 * Removes what a build has left: containers of steps that were cut off, and
 * every image it made that is not `keep` or below it. Images that were there
 * before, or that something else is based on, stay.
 */
export async function removeLeftovers(
  client: EngineClient,
  traces: BuildTraces,
  { before, keep }: { readonly before: ReadonlySet<string>; readonly keep: string | undefined },
): Promise<void> {
  const containers = await containersOf(client, traces.networkOf);
  await Promise.all(containers.map((id) => containerGone(client, id)));
  const images = await listAll(client);
  const parents = new Map(images.map(({ id, parent }) => [id, parent]));
  const kept = keep === undefined ? new Set<string>() : ancestry(await idOf(client, keep), parents);
  const made = images.filter(
    ({ id, isNamed }) =>
      !isNamed &&
      !before.has(id) &&
      !kept.has(id) &&
      [...ancestry(id, parents)].some((one) => isTraced(one, traces, before)),
  );
  // Children first: an image with a child cannot be removed.
  const byDepth = made.toSorted((a, b) => ancestry(b.id, parents).size - ancestry(a.id, parents).size);
  for (const { id } of byDepth) {
    await removeImage(client, id);
  }
}

function isTraced(id: string, traces: BuildTraces, before: ReadonlySet<string>): boolean {
  return !before.has(id) && traces.images.has(id.replace('sha256:', '').slice(0, SHORT));
}

/** An image and those it was made from. */
function ancestry(id: string, parents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (let next: string | undefined = id; next && !found.has(next); next = parents.get(next)) found.add(next);
  return found;
}

interface ListedImage {
  readonly Id: string;
  readonly ParentId: string;
  readonly RepoTags?: readonly string[] | null | undefined;
}

/**
 * Returns the containers of steps, which share the network of the build's own gateway. The engine removes those of
 * a build without a gateway itself.
 */
async function containersOf(client: EngineClient, networkOf: string | undefined): Promise<readonly string[]> {
  if (networkOf === undefined) return [];
  const list = (): Promise<readonly Docker.ContainerInfo[]> => client.docker.listContainers({ all: true });
  const containers = await client.call('list containers', list);
  return containers
    .filter(({ HostConfig }) => HostConfig.NetworkMode === `container:${networkOf}`)
    .map(({ Id }) => Id);
}

async function listAll(client: EngineClient, signal?: AbortSignal): Promise<readonly KnownImage[]> {
  const list = (): Promise<readonly ListedImage[]> => client.docker.listImages({ all: true });
  const images = await client.call('list images', () => unlessVanishing(list, signal), { signal });
  return images.map(({ Id, ParentId, RepoTags }) => ({
    id: Id,
    parent: ParentId,
    isNamed: (RepoTags ?? []).some((name) => name !== '<none>:<none>'),
  }));
}

async function idOf(client: EngineClient, reference: string): Promise<string> {
  return (await client.call('show an image', () => client.docker.getImage(reference).inspect())).Id;
}

/** The engine removes the container of a step by itself when a build is cut off, a moment later. */
async function containerGone(client: EngineClient, id: string): Promise<void> {
  const container = client.docker.getContainer(id);
  const deadline = performance.now() + GONE_MS;
  for (;;) {
    if (await isGone(client, () => container.inspect())) return;
    if (performance.now() > deadline) break;
    await sleep(LOOK_MS);
  }
  await isGone(client, () => container.remove({ force: true, v: true }));
}

async function isGone(client: EngineClient, ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return false;
  } catch (error) {
    if (SETTLED.has(statusOf(error))) return statusOf(error) === 404;
    throw engineFault(client, 'remove a container', error);
  }
}

/** Removes an image, once no container of the build needs it any more; one that others need stays. */
async function removeImage(client: EngineClient, id: string): Promise<void> {
  const deadline = performance.now() + GONE_MS;
  for (;;) {
    try {
      await client.docker.getImage(id).remove({ noprune: true });
      return;
    } catch (error) {
      const status = statusOf(error);
      if (!SETTLED.has(status)) throw engineFault(client, 'remove an image', error);
      if (status === 404 || !/container/.test(wordsOf(error)) || performance.now() > deadline) return;
      await sleep(LOOK_MS);
    }
  }
}
