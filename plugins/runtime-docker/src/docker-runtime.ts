import type {
  Attachment,
  BuildImageOptions,
  ContainerDescription,
  ContainerSpec,
  ContainerState,
  EngineDescription,
  ImageDescription,
  ImportImageOptions,
  Labels,
  LogLine,
  LogOptions,
  Logger,
  NetworkDescription,
  ProvideImageOptions,
  RegistryCredentials,
  ContainerEngine,
  StopOptions,
  VolumeDescription,
} from '@portolan/plugin-api';
import { createContainer } from './container/create-container.ts';
import type { DefaultLimits } from './container/create-options.ts';
import { UnheardContainers } from './container/unheard-containers.ts';
import {
  inspectContainer,
  listContainers,
  removeContainer,
  stopContainer,
} from './container/container-calls.ts';
import { openAttachment } from './container/open-attachment.ts';
import { readLogs } from './container/read-logs.ts';
import { startContainer } from './container/start-container.ts';
import { waitForExit } from './container/wait-for-exit.ts';
import { describeEngine } from './engine/describe-engine.ts';
import type { EngineFacts } from './engine/describe-engine.ts';
import type { EngineContext } from './engine/engine-candidates.ts';
import type { EngineClient } from './engine/engine-client.ts';
import { buildImage } from './image/build-image.ts';
import { ImageLabels } from './image/image-labels.ts';
import { inspectImage, listImages, requireImage, removeImage } from './image/image-calls.ts';
import { parseImageReference } from './image/image-reference.ts';
import { importImage } from './image/import-image.ts';
import { provideImage } from './image/provide-image.ts';
import { findCredentials } from './image/registry-credentials.ts';
import { listVolumes, removeVolume } from './container/volume-calls.ts';
import type { NetworkInspectInfo } from 'dockerode';
import { statusOf } from './engine/engine-fault.ts';
import { labelFilter } from './engine/label-filter.ts';

export interface DockerRuntimeParts {
  readonly client: EngineClient;
  readonly logger: Logger;
  readonly context: EngineContext;
  readonly limits: DefaultLimits;
  readonly stopGraceMs: number;
  readonly kernelRelease: string;
}

/** Implements the runtime contract for one engine; each function has its own file. */
export class DockerRuntime implements ContainerEngine {
  readonly #parts: DockerRuntimeParts;
  readonly #client: EngineClient;
  readonly #unheard = new UnheardContainers();
  readonly #images = new ImageLabels();
  #facts: EngineFacts | undefined;

  constructor(parts: DockerRuntimeParts) {
    this.#parts = parts;
    this.#client = parts.client;
  }

  async describe(signal?: AbortSignal): Promise<EngineDescription> {
    this.#facts = undefined; // a different engine may run now
    const { description } = await this.#engine(signal);
    return { ...description, defaultLimits: this.#parts.limits };
  }

  /** Returns whether the engine is Podman. Queries the engine only if no earlier response showed it. */
  async #isPodman(signal: AbortSignal | undefined): Promise<boolean> {
    return this.#facts?.podman ?? this.#client.podman ?? (await this.#engine(signal)).podman;
  }

  async #engine(signal?: AbortSignal): Promise<EngineFacts> {
    const { kernelRelease, context } = this.#parts;
    this.#facts ??= await describeEngine(this.#client, { platform: context.platform, kernelRelease }, signal);
    return this.#facts;
  }

  async inspectImage(reference: string, signal?: AbortSignal): Promise<ImageDescription | undefined> {
    const image = await inspectImage(this.#client, reference, signal);
    if (image !== undefined) this.#images.note(image);
    return image;
  }

  provideImage(reference: string, options: ProvideImageOptions): Promise<ImageDescription> {
    const { logger, context } = this.#parts;
    return provideImage(this.#client, reference, { ...options, logger, context });
  }

  async findRegistryCredentials(reference: string): Promise<RegistryCredentials | undefined> {
    const credentials = await findCredentials(parseImageReference(reference), this.#parts.context);
    if (credentials === undefined) return undefined;
    if ('identitytoken' in credentials) return { identityToken: credentials.identitytoken };
    return { username: credentials.username, password: credentials.password };
  }

  async importImage(
    archive: AsyncIterable<Uint8Array>,
    options: ImportImageOptions,
  ): Promise<ImageDescription> {
    await importImage(this.#client, archive, {
      ...options,
      podman: await this.#isPodman(options.signal),
    });
    return await requireImage(this.#client, options.reference, options.signal);
  }

  async buildImage(
    context: AsyncIterable<Uint8Array>,
    options: BuildImageOptions,
  ): Promise<ImageDescription> {
    const limited = options.maxImageBytes !== undefined;
    await buildImage(this.#client, context, {
      ...options,
      podman: await this.#isPodman(options.signal),
      storageFolder: limited ? (await this.#engine(options.signal)).storageFolder : undefined,
    });
    return await requireImage(this.#client, options.reference, options.signal);
  }

  listImages(labels: Labels, signal?: AbortSignal): Promise<readonly ImageDescription[]> {
    return listImages(this.#client, labels, signal);
  }

  removeImage(reference: string, signal?: AbortSignal): Promise<void> {
    return removeImage(this.#client, reference, signal);
  }

  async createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    const { description, ...traits } = await this.#engine(signal);
    const { limits, stopGraceMs } = this.#parts;
    const engine = { ...traits, seesFiles: description.sharesSockets };
    const options = { engine, limits, images: this.#images, unheard: this.#unheard, signal };
    return await createContainer(this.#client, { stopGraceMs, ...spec }, options);
  }

  attachContainer(container: string, signal?: AbortSignal): Promise<Attachment> {
    return openAttachment(this.#client, container, signal);
  }

  startContainer(container: string, signal?: AbortSignal): Promise<void> {
    return startContainer(this.#client, container, signal);
  }

  stopContainer(container: string, options: StopOptions = {}): Promise<void> {
    return stopContainer(this.#client, container, options);
  }

  async removeContainer(container: string, signal?: AbortSignal): Promise<void> {
    await removeContainer(this.#client, container, { podman: await this.#isPodman(signal), signal });
  }

  inspectContainer(container: string, signal?: AbortSignal): Promise<ContainerDescription | undefined> {
    return inspectContainer(this.#client, container, signal);
  }

  listContainers(labels: Labels, signal?: AbortSignal): Promise<readonly ContainerDescription[]> {
    return listContainers(this.#client, labels, signal);
  }

  waitForExit(container: string, signal?: AbortSignal): Promise<ContainerState | undefined> {
    return waitForExit(this.#client, container, signal);
  }

  readLogs(container: string, options: LogOptions): AsyncIterable<LogLine> {
    return readLogs(this.#client, container, options);
  }

  listVolumes(labels: Labels, signal?: AbortSignal): Promise<readonly VolumeDescription[]> {
    return listVolumes(this.#client, labels, signal);
  }

  removeVolume(name: string, signal?: AbortSignal): Promise<void> {
    return removeVolume(this.#client, name, signal);
  }

  listNetworks(labels: Labels = {}, signal?: AbortSignal): Promise<readonly NetworkDescription[]> {
    return listNetworks(this.#client, labels, signal);
  }

  removeNetwork(network: string, signal?: AbortSignal): Promise<void> {
    return removeNetwork(this.#client, network, signal);
  }
}

async function listNetworks(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly NetworkDescription[]> {
  const filters = JSON.stringify(labelFilter(labels));
  const networks = await client.call('list networks', () => client.docker.listNetworks({ filters }), {
    signal,
  });
  return networks.map(describeNetwork);
}

function describeNetwork(info: NetworkInspectInfo): NetworkDescription {
  return {
    id: info.Id,
    name: info.Name,
    labels: info.Labels ?? {},
    driver: info.Driver,
    internal: info.Internal,
    subnets: (info.IPAM?.Config ?? []).flatMap(({ Subnet: subnet, Gateway: gateway }) =>
      subnet ? [{ subnet, gateway: gateway || undefined }] : [],
    ),
  };
}

/** Removes a network. Ignores an absent one. */
async function removeNetwork(client: EngineClient, network: string, signal?: AbortSignal): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      await client.docker.getNetwork(network).remove();
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  };
  await client.call('remove a network', remove, { signal });
}
