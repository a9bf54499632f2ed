import { stat } from 'node:fs/promises';
import type { ContainerSpec } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { abortable } from '../engine/engine-client.ts';
import { statusOf, wordsOf } from '../engine/engine-fault.ts';
import { imageNotFound, mountSourceMissing, nameTaken, networkNotFound } from '../errors.ts';
import type { ImageLabels } from '../image/image-labels.ts';
import { removeContainer } from './container-calls.ts';
import { createOptions } from './create-options.ts';
import type { DefaultLimits, EngineTraits } from './create-options.ts';
import { giveVolumes, makeVolumes } from './volume-calls.ts';
import type { UnheardContainers } from './unheard-containers.ts';

export interface CreateOptions {
  readonly engine: EngineTraits & {
    /** Whether engine and this process see the same files, so that mount sources can be checked. */
    readonly seesFiles: boolean;
  };
  readonly limits: DefaultLimits;
  readonly images: ImageLabels;
  /** Containers that the engine may have created although the response was lost. */
  readonly unheard: UnheardContainers;
  readonly signal: AbortSignal | undefined;
}

const OUR_LABELS = 'portolan.dev/';
const GIVE_UP_MS = 10_000;

/** Matches Podman's message about a missing network, which Docker reports at the start. */
const NETWORK_MISSING = /unable to find network with name or ID ([^\s:]+)/i;

/**
 * Creates a container and returns its id. Removes the container of an aborted request. After a lost response,
 * removes the container before the next creation. Clears image labels with Portolan's prefix, so that no
 * image can impersonate a resource of Portolan.
 */
export async function createContainer(
  client: EngineClient,
  spec: ContainerSpec,
  options: CreateOptions,
): Promise<string> {
  const { engine, unheard, signal } = options;
  signal?.throwIfAborted();
  if (engine.seesFiles) await checkSources(spec);
  const { podman } = engine;
  return await unheard.before(spec, client, { podman, signal }, () => askToMake(client, spec, options));
}

async function askToMake(
  client: EngineClient,
  spec: ContainerSpec,
  { engine, limits, images, signal }: CreateOptions,
): Promise<string> {
  const ofImage = await images.of(spec.image, client, signal);
  const inherited = Object.keys(ofImage).filter((key) => key.startsWith(OUR_LABELS));
  const labels = { ...Object.fromEntries(inherited.map((key) => [key, ''])), ...spec.labels };
  const body = createOptions({ ...spec, labels }, engine, limits);
  const made = await makeVolumes(client, spec, signal);
  const created = client.call('make a container', () => client.docker.createContainer(body), {
    translate: (error) => createFault(spec, error),
  });
  try {
    const { id } = await abortable(created, signal);
    if (made.length > 0 && !engine.podman) await giveNewVolumes(client, id, { spec, made, signal });
    return id;
  } catch (error) {
    if (signal?.aborted) await removeLater(client, created, engine);
    throw error;
  }
}

interface NewVolumes {
  readonly spec: ContainerSpec;
  readonly made: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Makes the container's user the owner of new volumes. Removes the container on failure. */
async function giveNewVolumes(
  client: EngineClient,
  id: string,
  { spec, made, signal }: NewVolumes,
): Promise<void> {
  const image = spec.user === undefined ? await client.docker.getImage(spec.image).inspect() : undefined;
  try {
    await giveVolumes(client, spec, { volumes: made, user: spec.user ?? image?.Config.User }, signal);
  } catch (error) {
    await removeContainer(client, id, { podman: false, signal });
    throw error;
  }
}

/** Removes a container whose creation was aborted, if the engine creates it within a limited time. */
async function removeLater(
  client: EngineClient,
  created: Promise<{ readonly id: string }>,
  { podman }: Pick<EngineTraits, 'podman'>,
): Promise<void> {
  const limit = AbortSignal.timeout(GIVE_UP_MS);
  try {
    const { id } = await abortable(created, limit);
    await removeContainer(client, id, { podman, signal: limit });
  } catch {
    // There is no container, or the engine is unresponsive. The caller reports the signal's reason anyway.
  }
}

/** Checks that mount sources exist, because an engine would create a root-owned folder for a missing one. */
async function checkSources(spec: ContainerSpec): Promise<void> {
  for (const mount of spec.mounts ?? []) {
    if (mount.type !== 'bind') continue;
    try {
      await stat(mount.source);
    } catch (error) {
      throw mountSourceMissing(mount.source, error);
    }
  }
}

function createFault(spec: ContainerSpec, error: unknown): Error | undefined {
  const words = wordsOf(error);
  if (statusOf(error) === 404 && /no such image/i.test(words)) return imageNotFound(spec.image, error);
  const network = NETWORK_MISSING.exec(words)?.[1];
  if (network !== undefined) return networkNotFound(network, error);
  if (/already in use/i.test(words)) return nameTaken(spec.name, error);
  return undefined;
}
