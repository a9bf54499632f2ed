import { setTimeout as sleep } from 'node:timers/promises';
import { BUILD_LABEL } from '@portolan/plugin-api';
import type Docker from 'dockerode';
import type { EngineClient } from '../engine/engine-client.ts';
import { engineFault, statusOf, wordsOf } from '../engine/engine-fault.ts';
import { unlessVanishing } from './unless-vanishing.ts';

type Filters = Readonly<Record<string, readonly string[]>>;

interface KnownImage {
  readonly id: string;
  readonly parent: string;
  readonly isNamed: boolean;
}

const GONE_MS = 10_000;
const LOOK_MS = 50;
/** Time in milliseconds in which the engine ends a step that is running when a build is aborted. */
const STEP_MS = 500;
/** Maximum number of looks for what an aborted build has left. */
const MAX_LOOKS = 10;
/** Statuses of a removal that need no retry: the resource is absent, or still in use elsewhere. */
const SETTLED: ReadonlySet<number | undefined> = new Set([404, 409]);

/**
 * Removes the intermediate images and containers of one build. Keeps the image `keep` with its ancestors, and
 * images with a name. Does nothing without `buildId`.
 */
export async function removeLeftovers(
  client: EngineClient,
  buildId: string | undefined,
  keep: string | undefined,
): Promise<void> {
  if (buildId === undefined) return;
  // After an abort, the engine still finishes the step that it runs, and commits its image.
  for (let look = 1; (await removeFound(client, buildId, keep)) || look === 1; look += 1) {
    if (keep !== undefined || look === MAX_LOOKS) return;
    await sleep(STEP_MS);
  }
}

/** Removes what exists now. Returns whether there was anything to remove. */
async function removeFound(
  client: EngineClient,
  buildId: string,
  keep: string | undefined,
): Promise<boolean> {
  const labelled = { label: [`${BUILD_LABEL}=${buildId}`] };
  const containers = await listContainers(client, labelled);
  await Promise.all(containers.map((id) => containerGone(client, id)));
  const images = await listImages(client, labelled);
  const parents = new Map(images.map(({ id, parent }) => [id, parent]));
  const remaining = keep === undefined ? new Set<string>() : ancestry(await idOf(client, keep), parents);
  const made = images.filter(({ id, isNamed }) => !isNamed && !remaining.has(id));
  // Removes children first, because the engine refuses to remove an image that has a child.
  const byDepth = made.toSorted((a, b) => ancestry(b.id, parents).size - ancestry(a.id, parents).size);
  for (const { id } of byDepth) {
    await removeImage(client, id);
  }
  return containers.length + made.length > 0;
}

function ancestry(id: string, parents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const matches = new Set<string>();
  for (let next: string | undefined = id; next && !matches.has(next); next = parents.get(next))
    matches.add(next);
  return matches;
}

interface ListedImage {
  readonly Id: string;
  readonly ParentId: string;
  readonly RepoTags?: readonly string[] | null | undefined;
}

async function listContainers(client: EngineClient, filters: Filters): Promise<readonly string[]> {
  const list = (): Promise<readonly Docker.ContainerInfo[]> =>
    client.docker.listContainers({ all: true, filters: JSON.stringify(filters) });
  return (await client.call('list containers', list)).map(({ Id }) => Id);
}

async function listImages(client: EngineClient, filters: Filters): Promise<readonly KnownImage[]> {
  const list = (): Promise<readonly ListedImage[]> =>
    client.docker.listImages({ all: true, filters: JSON.stringify(filters) });
  const images = await client.call('list images', () => unlessVanishing(list));
  return images.map(({ Id, ParentId, RepoTags }) => ({
    id: Id,
    parent: ParentId,
    isNamed: (RepoTags ?? []).some((name) => name !== '<none>:<none>'),
  }));
}

async function idOf(client: EngineClient, reference: string): Promise<string> {
  return (await client.call('show an image', () => client.docker.getImage(reference).inspect())).Id;
}

/**
 * Waits until the engine has removed the container of an aborted build step. The engine removes it without a
 * request, shortly after the abort.
 */
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

/** Removes an image once no container of the build uses it. Keeps an image that other containers use. */
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
