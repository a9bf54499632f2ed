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
 * One container engine. Containers are addressed by id or name, images by reference or id. Asynchronous
 * functions settle soon after their signal aborts, with its reason. A refusal of the engine is an error with
 * the engine's message as its cause. An unresponsive engine is ERR_RUNTIME_UNREACHABLE everywhere.
 */
export interface ContainerEngine {
  describe(signal?: AbortSignal): Promise<EngineDescription>;

  /** Returns the local image with this name; undefined when there is none. */
  inspectImage(reference: string, signal?: AbortSignal): Promise<ImageDescription | undefined>;
  /** Pulls according to the policy. Throws ERR_IMAGE_NOT_FOUND when the image exists nowhere. */
  provideImage(reference: string, options: ProvideImageOptions): Promise<ImageDescription>;
  /** Creates a single-layer image from a tar archive of its root folder. */
  importImage(archive: AsyncIterable<Uint8Array>, options: ImportImageOptions): Promise<ImageDescription>;
  /**
   * Builds an image from a context. When a step fails, throws ERR_IMAGE_BUILD with the last output and leaves
   * nothing behind.
   */
  buildImage(context: AsyncIterable<Uint8Array>, options: BuildImageOptions): Promise<ImageDescription>;
  /** Returns images that have all of these labels. */
  listImages(labels: Labels, signal?: AbortSignal): Promise<readonly ImageDescription[]>;
  /**
   * Removes a reference to an image. Removing the last reference removes the image. Ignores an absent
   * reference.
   */
  removeImage(reference: string, signal?: AbortSignal): Promise<void>;

  /** Returns credentials for callers that query the image's registry themselves. */
  findRegistryCredentials?(reference: string, signal?: AbortSignal): Promise<RegistryCredentials | undefined>;

  /** Creates a container without starting it. Returns its id. Throws ERR_CONTAINER_NAME_TAKEN. */
  createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string>;
  /**
   * Attaching before the start loses no output. A container has at most one attachment, which must always be
   * read: an unread one stalls the container.
   */
  attachContainer(container: string, signal?: AbortSignal): Promise<Attachment>;
  startContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** Kills the container after the grace time. Ignores one that is not running. */
  stopContainer(container: string, options?: StopOptions): Promise<void>;
  /** Removes a container, running or not, and its anonymous volumes. Ignores an absent container. */
  removeContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** Returns undefined for an absent container. */
  inspectContainer(container: string, signal?: AbortSignal): Promise<ContainerDescription | undefined>;
  /** Returns containers that have all of these labels, running or not. */
  listContainers(labels: Labels, signal?: AbortSignal): Promise<readonly ContainerDescription[]>;
  /**
   * Waits until a container stops, and returns its state. Resolves at once for a stopped container, and with
   * undefined when the container was removed. Continues to wait after a restart of the engine.
   */
  waitForExit(container: string, signal?: AbortSignal): Promise<ContainerState | undefined>;
  /**
   * Reads the lines that the engine has logged for a container. With `follow`, also yields new lines until
   * the container stops.
   */
  readLogs(container: string, options: LogOptions): AsyncIterable<LogLine>;

  /** Returns named volumes with all of these labels. Absent for engines without named volumes. */
  listVolumes?(labels: Labels, signal?: AbortSignal): Promise<readonly VolumeDescription[]>;
  /** Removes a volume. Ignores an absent volume. Throws ERR_IN_USE when a container uses it. */
  removeVolume?(name: string, signal?: AbortSignal): Promise<void>;

  /** Returns all networks of the engine, or those with these labels. */
  listNetworks(labels?: Labels, signal?: AbortSignal): Promise<readonly NetworkDescription[]>;
  /** Removes a network. Ignores an absent one. */
  removeNetwork(network: string, signal?: AbortSignal): Promise<void>;
}

export interface EngineDescription {
  /**
   * Display name of the engine, such as `Podman Engine`. Do not derive from the name what the engine can do.
   */
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Operating system and architecture of the engine's machine, as in images: `linux`, `amd64`. */
  readonly os: string;
  readonly architecture: string;
  /** Address of the engine, such as `unix:///var/run/docker.sock`. */
  readonly address: string;
  /** Where the address comes from: an environment variable, a context or a default location. */
  readonly addressFrom: string;
  /** Whether the engine runs without root privileges. User 0 of a container is then the engine's user. */
  readonly rootless: boolean;
  /** Whether users of a container are mapped to other users on the host. */
  readonly userNamespaces: boolean;
  /** Whether Unix sockets work in a folder of this machine that is mounted into a container. */
  readonly sharesSockets: boolean;
  /**
   * With `stdin: 'open'`, standard input stays open after a detach or a lost attachment. Otherwise, the
   * server's input ends with the attachment.
   */
  readonly keepsInputOpen: boolean;
  /**
   * Whether a build step can use a network without outside access. If false, `networkOf` of `buildImage`
   * rejects with ERR_IMAGE_BUILD.
   */
  readonly buildsInClosedNetwork: boolean;
  /**
   * Whether a container without capabilities may listen on ports below 1024. If false, it needs
   * `NET_BIND_SERVICE`.
   */
  readonly opensLowPorts: boolean;
  /**
   * Whether the engine marks a container as being removed before killing it. If false, a removal briefly
   * looks like an exit.
   */
  readonly announcesRemovals?: boolean;
  /** Default limits of a container. Undefined when unknown. */
  readonly defaultLimits?: Required<ContainerLimits>;
}

export interface VolumeDescription {
  readonly name: string;
  readonly labels: Labels;
}

export interface Attachment {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /**
   * Writes to the standard input. Resolves when the engine accepted the bytes. Rejects after the attachment
   * has ended.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the standard input. Only a container with `stdin: 'once'` notices. */
  endInput(): void;
  /**
   * Resolves when the attachment ends, with the error if there was one. The container may still run: a
   * restart of the engine ends the streams of running containers.
   */
  readonly ended: Promise<Error | undefined>;
  /** Detaches. The container keeps running. */
  close(): void;
}

export interface StopOptions {
  /** Time between stop signal and kill in milliseconds. Default: the value in the container's spec. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

export interface ContainerState {
  readonly status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
  readonly running: boolean;
  /** Undefined while it runs, or when it never ran. */
  readonly exitCode: number | undefined;
  /** Whether any process of the container was killed for lack of memory. */
  readonly outOfMemory: boolean;
  /** The engine's message about a failed start. */
  readonly error: string | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export interface ContainerDescription {
  readonly id: string;
  readonly name: string;
  /** Reference and id of the image. */
  readonly image: string;
  readonly imageId: string;
  /** Includes labels of the image. Callers may trust only labels that they set. */
  readonly labels: Labels;
  readonly createdAt: Date;
  readonly state: ContainerState;
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
  /** Number of lines, counted from the end of the log. */
  readonly tail?: number;
  readonly since?: Date;
  readonly signal?: AbortSignal;
}

export interface LogLine {
  readonly stream: 'stdout' | 'stderr';
  readonly at: Date;
  /** Line without its line end. */
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
