import type {
  ImageDescription,
  ProvideImageOptions,
  RegistryCredentials,
  ImportImageOptions,
  BuildImageOptions,
} from './engine-images.ts';
import type { Labels, ContainerLimits, ContainerSpec } from '../container.ts';
import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';
import type { WorkloadHost } from './workload-host.ts';

/** Runs servers: a container engine, or a host that runs them itself, such as a cluster. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface RuntimeKind<Block extends ConfigBlock = any> extends Kind<Block, Runtime> {}

/**
 * `containers` is an engine, with which Portolan implements images, isolated networks, overlays and restarts.
 * `workloads` is a host that runs servers itself and declares the protections it enforces.
 */
export type Runtime = ContainerRuntime | WorkloadRuntime;

export interface ContainerRuntime {
  readonly runs: 'containers';
  readonly engine: ContainerEngine;
  close(): Promise<void>;
}

export interface WorkloadRuntime {
  readonly runs: 'workloads';
  readonly host: WorkloadHost;
  close(): Promise<void>;
}

/**
 * One container engine. Containers are addressed by the id from `createContainer` or by name, images by
 * reference or id. Every asynchronous function settles soon after its signal aborts, with the signal's
 * reason. A refusal of the engine is an error with the engine's message as its cause. An unresponsive engine
 * is ERR_RUNTIME_UNREACHABLE everywhere.
 */
export interface ContainerEngine {
  /** Returns which engine responds, and its address. */
  describe(signal?: AbortSignal): Promise<EngineDescription>;

  /** Returns a local image; undefined when there is none of that name. */
  inspectImage(reference: string, signal?: AbortSignal): Promise<ImageDescription | undefined>;
  /**
   * Makes the image available locally, pulling it according to the policy. Throws ERR_IMAGE_NOT_FOUND when it
   * exists nowhere.
   */
  provideImage(reference: string, options: ProvideImageOptions): Promise<ImageDescription>;
  /** Creates a single-layer image from a tar archive of its root folder. */
  importImage(archive: AsyncIterable<Uint8Array>, options: ImportImageOptions): Promise<ImageDescription>;
  /**
   * Builds an image from a context. When a step fails, throws ERR_IMAGE_BUILD with the last output and leaves
   * nothing behind.
   */
  buildImage(context: AsyncIterable<Uint8Array>, options: BuildImageOptions): Promise<ImageDescription>;
  /** Returns the images with all of these labels and values. */
  listImages(labels: Labels, signal?: AbortSignal): Promise<readonly ImageDescription[]>;
  /** Removes the reference, and the image with its last one. Ignores an absent reference. */
  removeImage(reference: string, signal?: AbortSignal): Promise<void>;

  /**
   * Returns the credentials for an image's registry, for callers that query the registry themselves.
   * Undefined when there are none. Absent for a runtime without credentials of its own.
   */
  findRegistryCredentials?(reference: string, signal?: AbortSignal): Promise<RegistryCredentials | undefined>;

  /**
   * Creates a container without starting it and returns its id. Throws ERR_CONTAINER_NAME_TAKEN for an
   * existing name.
   */
  createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string>;
  /**
   * Attaches to standard input and output. Attaching before the start loses no output. A container has at
   * most one attachment, which must always be read: an unread one stalls the container.
   */
  attachContainer(container: string, signal?: AbortSignal): Promise<Attachment>;
  startContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** Stops a container and kills it after the grace time. Ignores a container that is not running. */
  stopContainer(container: string, options?: StopOptions): Promise<void>;
  /** Removes a container with its anonymous volumes, running or not. Ignores an absent one. */
  removeContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** Returns the current state; undefined when there is no such container. */
  inspectContainer(container: string, signal?: AbortSignal): Promise<ContainerDescription | undefined>;
  /** Returns the containers, running or not, with all of these labels and values. */
  listContainers(labels: Labels, signal?: AbortSignal): Promise<readonly ContainerDescription[]>;
  /**
   * Resolves when the container no longer runs, at once for a stopped one; undefined when it was removed. It
   * survives a restart of the engine and returns the state after it.
   */
  waitForExit(container: string, signal?: AbortSignal): Promise<ContainerState | undefined>;
  /** Reads lines of the engine's log. With `follow` it ends when the container does. */
  readLogs(container: string, options: LogOptions): AsyncIterable<LogLine>;

  /** Returns named volumes with all of these labels and values. Absent for engines without named volumes. */
  listVolumes?(labels: Labels, signal?: AbortSignal): Promise<readonly VolumeDescription[]>;
  /**
   * Removes a volume with its data. Ignores an absent one. Throws ERR_IN_USE while a container uses
   * it.
   */
  removeVolume?(name: string, signal?: AbortSignal): Promise<void>;

  /** Returns all networks of the engine, or those with these labels. */
  listNetworks(labels?: Labels, signal?: AbortSignal): Promise<readonly NetworkDescription[]>;
  /** Removes a network. Ignores an absent one. */
  removeNetwork(network: string, signal?: AbortSignal): Promise<void>;
}

export interface EngineDescription {
  /**
   * Display name, such as `Docker Engine` or `Podman Engine`. The traits below describe its abilities, which
   * do not follow from the name.
   */
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Operating system and architecture of the engine's machine, as in images: `linux`, `amd64`. */
  readonly os: string;
  readonly architecture: string;
  /** Address of the engine, such as `unix:///var/run/docker.sock`. */
  readonly address: string;
  /** Origin of the address: a variable, a context or a default location. */
  readonly addressFrom: string;
  /** Whether it runs rootless: user 0 of a container is then the engine's user. */
  readonly rootless: boolean;
  /** Whether container users are mapped to other users outside. */
  readonly userNamespaces: boolean;
  /** Whether Unix sockets work in a mounted folder of this machine. */
  readonly sharesSockets: boolean;
  /**
   * Whether the standard input of a container with `stdin: 'open'` stays open after a detach or a lost
   * attachment, so that the next one can write. Otherwise, the server's input ends with the attachment.
   */
  readonly keepsInputOpen: boolean;
  /**
   * Whether `buildImage` supports `networkOf`. Otherwise it rejects with ERR_IMAGE_BUILD instead of
   * building in another network.
   */
  readonly buildsInClosedNetwork: boolean;
  /**
   * Whether a container without capabilities may listen on ports below 1024. Otherwise it needs
   * `NET_BIND_SERVICE`.
   */
  readonly opensLowPorts: boolean;
  /**
   * False when the engine kills a container before it marks it as being removed, which briefly looks like an
   * exit.
   */
  readonly announcesRemovals?: boolean;
  /** Default limits of a container. Undefined when unknown. */
  readonly defaultLimits?: Required<ContainerLimits>;
}

/** A named volume of an engine. */
export interface VolumeDescription {
  readonly name: string;
  readonly labels: Labels;
}

/** Attachment to a container's standard streams. */
export interface Attachment {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes were accepted. Rejects after the attachment has ended. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the standard input. Only a container with `stdin: 'once'` notices. */
  endInput(): void;
  /**
   * Resolves when the stream ends, with the error if there was one. This is not an exit: a restart of the
   * engine ends the streams of running containers.
   */
  readonly ended: Promise<Error | undefined>;
  /** Detaches. The container keeps running. */
  close(): void;
}

export interface StopOptions {
  /** Default: that of the container's spec. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

export interface ContainerState {
  readonly status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
  readonly running: boolean;
  /** Undefined while it runs, or when it never ran. */
  readonly exitCode: number | undefined;
  /** Whether a process of it was killed for lack of memory; not necessarily the first one. */
  readonly outOfMemory: boolean;
  /** The engine's message about a failed start. */
  readonly error: string | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export interface ContainerDescription {
  readonly id: string;
  readonly name: string;
  /** Image reference of the container, and the id of the image. */
  readonly image: string;
  readonly imageId: string;
  /** Its own labels and those of its image. Callers may trust only labels that they set. */
  readonly labels: Labels;
  readonly createdAt: Date;
  readonly state: ContainerState;
  /** Address in each connected network. */
  readonly networks: readonly { readonly name: string; readonly address: string }[];
  readonly ports: readonly {
    readonly containerPort: number;
    readonly protocol: 'tcp' | 'udp';
    readonly hostAddress: string;
    readonly hostPort: number;
  }[];
}

export interface LogOptions {
  readonly follow?: boolean;
  /** Maximum number of lines, counted from the end. */
  readonly tail?: number;
  readonly since?: Date;
  readonly signal?: AbortSignal;
}

export interface LogLine {
  readonly stream: 'stdout' | 'stderr';
  readonly at: Date;
  /** Without its line end. */
  readonly text: string;
}

export interface NetworkDescription {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  readonly driver: string;
  readonly internal: boolean;
  /** In CIDR notation, with the gateway's address if there is one. */
  readonly subnets: readonly { readonly subnet: string; readonly gateway: string | undefined }[];
}
