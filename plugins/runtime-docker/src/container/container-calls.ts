import { setTimeout as pass } from 'node:timers/promises';
import type { ContainerDescription, Labels, StopOptions } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf, wordsOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';
import { containerNotFound } from '../errors.ts';
import { describeContainer } from './describe-container.ts';

/** A container as it is now; undefined when there is none. */
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

/** Containers with all of these labels, running or not; those that vanish meanwhile are left out. */
export async function listContainers(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly ContainerDescription[]> {
  const options = { all: true, filters: JSON.stringify(labelFilter(labels)) };
  const containers = await client.call('list containers', () => client.docker.listContainers(options), {
    signal,
  });
  const found = await Promise.all(containers.map(({ Id }) => inspectContainer(client, Id, signal)));
  return found.filter((container) => container !== undefined);
}

/** Asks to stop, and kills after the grace time. One that does not run is no error, one that is not there is. */
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
 * Removes a container and its anonymous volumes, running or not; one that is
 * not there is no error. Settles when it is gone, whoever has removed it. On
 * Podman, one whose network others have joined is killed at once, and gone once
 * those are: for them it is waited 30 seconds.
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

/** False while it cannot be removed yet. */
async function tryToRemove(
  client: EngineClient,
  container: string,
  { podman, isLast }: { readonly podman: boolean; readonly isLast: boolean },
): Promise<boolean> {
  const target = client.docker.getContainer(container);
  try {
    // Podman would ask it to stop first, and wait. Docker kills it, and says before that it is removing it.
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
 * Somebody else is removing it; Podman also keeps a container as long as there are others in its network, and does
 * nothing with one that is just ending.
 */
const NOT_YET =
  /removal of container .* already in progress|has dependent containers which must be removed|container state improper/i;

/** Podman has no status of its own for a container that does not run. */
const NOT_RUNNING =
  /can only (?:kill|stop) (?:created or )?running containers|is not running|not in a state which can be stopped/i;

async function unlessNotRunning(ask: () => Promise<unknown>, harmless: number): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (statusOf(error) !== harmless && !NOT_RUNNING.test(wordsOf(error))) throw error;
  }
}

/** Podman answers 500 where a container vanishes while it is looked at. */
function isGoneMeanwhile(error: unknown): boolean {
  return (
    statusOf(error) === 404 || /no such container|container has already been removed/i.test(wordsOf(error))
  );
}

function missing(container: string, error: unknown): Error | undefined {
  return statusOf(error) === 404 ? containerNotFound(container, error) : undefined;
}
