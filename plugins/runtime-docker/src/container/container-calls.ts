import { setTimeout as pass } from 'node:timers/promises';
import type { ContainerDescription, Labels, StopOptions } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf, wordsOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';
import { containerNotFound } from '../errors.ts';
import { describeContainer } from './describe-container.ts';

export async function inspectContainer(
  client: EngineClient,
  container: string,
  signal?: AbortSignal,
): Promise<ContainerDescription | undefined> {
  const inspect = async (): Promise<ContainerDescription | undefined> => {
    try {
      return describeContainer(await client.docker.getContainer(container).inspect());
    } catch (error) {
      if (isGoneMeanwhile(error)) return undefined;
      throw error;
    }
  };
  return await client.call('show a container', inspect, { signal });
}

/** Lists containers with all of these labels, without those that are removed during the call. */
export async function listContainers(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly ContainerDescription[]> {
  const options = { all: true, filters: JSON.stringify(labelFilter(labels)) };
  const containers = await client.call('list containers', () => client.docker.listContainers(options), {
    signal,
  });
  const matches = await Promise.all(containers.map(({ Id }) => inspectContainer(client, Id, signal)));
  return matches.filter((container) => container !== undefined);
}

/**
 * Stops a container, and kills it after the grace time. Ignores a stopped container; rejects for an absent
 * one.
 */
export async function stopContainer(
  client: EngineClient,
  container: string,
  { graceMs, signal }: StopOptions,
): Promise<void> {
  const options = graceMs === undefined ? {} : { t: Math.ceil(graceMs / 1000) };
  const stop = (): Promise<unknown> => client.docker.getContainer(container).stop(options);
  await client.call('stop a container', () => unlessNotRunning(stop, 304), {
    signal,
    translate: (error) => missing(container, error),
  });
}

export interface RemoveOptions {
  readonly podman: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes a container and its anonymous volumes. Ignores an absent container. Resolves when it is gone, also
 * when another client removed it. On Podman, a container whose network others use is killed at once and
 * removed together with them; the wait for this is limited to 30 seconds.
 */
export async function removeContainer(
  client: EngineClient,
  container: string,
  { podman, signal }: RemoveOptions,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const isGone = await client.call(
      'remove a container',
      () => tryToRemove(client, container, { podman, isLast: tries === REMOVE_TRIES }),
      { signal },
    );
    if (isGone) return;
    await pass(REMOVE_AGAIN_MS, undefined, { signal });
  }
}

const REMOVE_AGAIN_MS = 50;
const REMOVE_TRIES = 600;

/** Tries to remove a container. Returns false while the engine cannot remove it yet. */
async function tryToRemove(
  client: EngineClient,
  container: string,
  { podman, isLast }: { readonly podman: boolean; readonly isLast: boolean },
): Promise<boolean> {
  const target = client.docker.getContainer(container);
  try {
    // With `force`, Podman would stop the container gracefully and wait. Docker marks it as being removed and
    // then kills it.
    if (podman) await unlessNotRunning(() => target.kill({ signal: 'SIGKILL' }), 409);
    await target.remove({ force: true, v: true });
    return true;
  } catch (error) {
    if (isGoneMeanwhile(error)) return true;
    if (isLast || !NOT_YET.test(wordsOf(error))) throw error;
    return false;
  }
}

/**
 * Matches messages about a removal that has to wait: another client is removing the container, or other
 * containers on Podman use its network.
 */
const NOT_YET =
  /removal of container .* already in progress|has dependent containers which must be removed|container state improper/i;

/** Matches Podman's messages about a container that is not running; there is no separate status for it. */
const NOT_RUNNING =
  /can only (?:kill|stop) (?:created or )?running containers|is not running|not in a state which can be stopped/i;

async function unlessNotRunning(ask: () => Promise<unknown>, harmless: number): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (statusOf(error) !== harmless && !NOT_RUNNING.test(wordsOf(error))) throw error;
  }
}

/** Returns whether the container vanished during an inspection, for which Podman responds with 500. */
function isGoneMeanwhile(error: unknown): boolean {
  return (
    statusOf(error) === 404 || /no such container|container has already been removed/i.test(wordsOf(error))
  );
}

function missing(container: string, error: unknown): Error | undefined {
  return statusOf(error) === 404 ? containerNotFound(container, error) : undefined;
}
