import type { Labels, ContainerLimits, ContainerSpec } from '../container.ts';
import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';
import type { WorkloadHost } from './workload-host.ts';

/** What runs servers: a container engine, or a host that runs them by itself, such as a cluster. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface RuntimeKind<Block extends ConfigBlock = any> extends Kind<Block, Runtime> {}

/**
 * A runtime is one of two: `containers` gives an engine, and everything that is
 * made of containers (images, isolated networks, overlays, restarts) is done
 * here with it; `workloads` gives a host that runs the servers of workloads by
 * itself, and says what it protects them from.
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
 * One container engine. Containers go by the id that `createContainer`
 * returned or by name; images by reference or id. Every function that waits
 * ends soon after its signal aborts, and then rejects with the signal's reason.
 * What the engine refuses is an error with the engine's own words as its cause;
 * an engine that does not answer is ERR_RUNTIME_UNREACHABLE wherever it is met.
 */
export interface ContainerEngine {
  /** Which engine answers, and where. */
  describe(signal?: AbortSignal): Promise<EngineDescription>;

  /** An image that the engine has; undefined when it has none of that name. */
  inspectImage(reference: string, signal?: AbortSignal): Promise<ImageDescription | undefined>;
  /** Sees that the engine has the image, pulling it as the policy says. ERR_IMAGE_NOT_FOUND when nobody has it. */
  provideImage(reference: string, options: ProvideImageOptions): Promise<ImageDescription>;
  /** Makes an image of one layer from a tar archive of its root folder. */
  importImage(archive: AsyncIterable<Uint8Array>, options: ImportImageOptions): Promise<ImageDescription>;
  /** Builds an image from a context; ERR_IMAGE_BUILD with the last output when a step fails, and nothing of it is left. */
  buildImage(context: AsyncIterable<Uint8Array>, options: BuildImageOptions): Promise<ImageDescription>;
  /** Images that carry all of these labels with these values. */
  listImages(labels: Labels, signal?: AbortSignal): Promise<readonly ImageDescription[]>;
  /** Removes the reference, and the image with its last one; one that is not there is no error. */
  removeImage(reference: string, signal?: AbortSignal): Promise<void>;

  /**
   * What the runtime would show to the registry of an image: for those who ask
   * the registry themselves. Undefined when it has nothing. A runtime without
   * this function has no credentials of its own.
   */
  findRegistryCredentials?(reference: string, signal?: AbortSignal): Promise<RegistryCredentials | undefined>;

  /** Makes a container and starts nothing; its id. ERR_CONTAINER_NAME_TAKEN when there is one of that name. */
  createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string>;
  /**
   * Connects to standard input and output. Attached before the start no output
   * is lost. At most one attachment a container, which always has to be read:
   * one that is not stalls the container.
   */
  attachContainer(container: string, signal?: AbortSignal): Promise<Attachment>;
  startContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** Asks to stop, and kills after the grace time; one that does not run is no error. */
  stopContainer(container: string, options?: StopOptions): Promise<void>;
  /** Removes it with its anonymous volumes, running or not; one that is not there is no error. */
  removeContainer(container: string, signal?: AbortSignal): Promise<void>;
  /** As it is now; undefined when there is none. */
  inspectContainer(container: string, signal?: AbortSignal): Promise<ContainerDescription | undefined>;
  /** Containers, running or not, that carry all of these labels with these values. */
  listContainers(labels: Labels, signal?: AbortSignal): Promise<readonly ContainerDescription[]>;
  /**
   * Settles when the container no longer runs, at once when it does not run
   * now, undefined when it was removed. An engine that restarts meanwhile is
   * waited for: then the answer is what the container is afterwards.
   */
  waitForExit(container: string, signal?: AbortSignal): Promise<ContainerState | undefined>;
  /** Lines of the engine's log. With `follow` it ends when the container does. */
  readLogs(container: string, options: LogOptions): AsyncIterable<LogLine>;

  /** Named volumes that carry all of these labels with these values. Left out: the engine has no such volumes. */
  listVolumes?(labels: Labels, signal?: AbortSignal): Promise<readonly VolumeDescription[]>;
  /** Removes a volume with its data; one that is not there is no error. ERR_VOLUME_IN_USE while a container has it. */
  removeVolume?(name: string, signal?: AbortSignal): Promise<void>;

  /** All networks of the engine, or those with these labels. */
  listNetworks(labels?: Labels, signal?: AbortSignal): Promise<readonly NetworkDescription[]>;
  /** One that is not there is no error. */
  removeNetwork(network: string, signal?: AbortSignal): Promise<void>;
}

export interface EngineDescription {
  /** For people: `Docker Engine`, `Podman Engine`. What an engine can do stands in the traits below, and does not follow from this. */
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Of the engine's machine, as images name it: `linux`, `amd64`. */
  readonly os: string;
  readonly architecture: string;
  /** Address that is talked to: `unix:///var/run/docker.sock`. */
  readonly address: string;
  /** From where the address is: a variable, a context, a place that was tried. */
  readonly addressFrom: string;
  /** Whether it runs without being root: user 0 of a container is then the user of the engine. */
  readonly rootless: boolean;
  /** Whether users in containers are other ones outside. */
  readonly userNamespaces: boolean;
  /** Whether a folder of this machine can be mounted with its Unix sockets working. */
  readonly sharesSockets: boolean;
  /**
   * Whether the standard input of a container with `stdin: 'open'` stays open
   * when an attachment is closed or lost, so that the next attachment can write
   * on. Where it does not, the server's input has ended with the attachment.
   */
  readonly keepsInputOpen: boolean;
  /** Whether `buildImage` heeds `networkOf`. Where it does not, it rejects with ERR_IMAGE_BUILD_NETWORK, and builds nothing in another network. */
  readonly buildsInClosedNetwork: boolean;
  /** Whether a container without any capability may listen on ports below 1024; where it may not, it needs `NET_BIND_SERVICE`. */
  readonly opensLowPorts: boolean;
  /** False where a container that is being removed does not say so before it is killed, and looks for a moment as if it had ended by itself. */
  readonly announcesRemovals?: boolean;
  /** What a container may use where nothing else is asked for; left out where that is not known. */
  readonly defaultLimits?: Required<ContainerLimits>;
}

/** A named volume of an engine. */
export interface VolumeDescription {
  readonly name: string;
  readonly labels: Labels;
}

export interface ImageDescription {
  readonly id: string;
  readonly references: readonly string[];
  /** `sha256:…` digests under which a registry knows it, with the repository in front. */
  readonly digests: readonly string[];
  readonly os: string;
  readonly architecture: string;
  readonly labels: Labels;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** As the image says it; empty is root. */
  readonly user: string;
  readonly workingDirectory: string;
  readonly exposedPorts: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp' }[];
  /** Instructions that an engine runs when it builds another image on this one (`ONBUILD`). */
  readonly onBuild: readonly string[];
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

export interface ProvideImageOptions {
  /**
   * `tag`: a moving tag (none, or `latest`) is pulled, and a local copy does
   * when that fails; any other is pulled only when it is missing. `missing`:
   * pulled only when it is missing. `never`: the engine has to have it.
   */
  readonly pull: 'tag' | 'missing' | 'never';
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
}

/** A name with its password, or a token from which the registry makes others (OAuth 2 refresh token). */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  | { readonly identityToken: string };

/** One step of a pull or build, for people. */
export type ImageProgress =
  | {
      readonly step: 'layer';
      readonly layer: string;
      readonly status: string;
      readonly doneBytes: number;
      /** Undefined while it is not known. */
      readonly totalBytes: number | undefined;
    }
  | { readonly step: 'output'; readonly text: string };

export interface ImportImageOptions {
  readonly reference: string;
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly labels?: Labels;
  readonly signal?: AbortSignal;
}

export interface BuildImageOptions {
  readonly reference: string;
  /**
   * Unique identifier of this build. Each stage of the Dockerfile sets it as
   * `BUILD_LABEL`: `LABEL portolan.dev/build=<buildId>`. The runtime uses it to find and
   * remove the images and containers that the build leaves. It never relies on the
   * output of a build for that. Left out for a Dockerfile that runs nothing.
   */
  readonly buildId?: string;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
  readonly labels?: Labels;
  /** Container whose network the build uses; left out, the engine's default. */
  readonly networkOf?: string;
  /** Maximum memory of each step in bytes. */
  readonly memoryBytes?: number;
  /** Maximum number of processes of each step, where the engine lists the containers of steps. Needs `buildId`. */
  readonly maxProcesses?: number;
  /** Maximum size of the image in bytes. The build ends with ERR_IMAGE_TOO_LARGE beyond it. Needs `buildId`. */
  readonly maxImageBytes?: number;
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
}

/** The two ends of a container's standard streams. */
export interface Attachment {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Settles when the bytes were taken; rejects when the attachment has ended. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the standard input. Only a container with `stdin: 'once'` notices. */
  endInput(): void;
  /**
   * Settles when the stream has ended, with the error if there was one. That is
   * no exit: an engine that restarts ends the stream of a container that goes on.
   */
  readonly ended: Promise<Error | undefined>;
  /** Lets go; the container goes on. */
  close(): void;
}

export interface StopOptions {
  /** Left out, that of the container's spec. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

export interface ContainerState {
  readonly status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
  readonly running: boolean;
  /** Undefined while it runs, or when it never ran. */
  readonly exitCode: number | undefined;
  /** A process of it was ended for want of memory; not always the first one. */
  readonly outOfMemory: boolean;
  /** What the engine says about a failed start. */
  readonly error: string | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export interface ContainerDescription {
  readonly id: string;
  readonly name: string;
  /** The reference it was made from, and the image behind it. */
  readonly image: string;
  readonly imageId: string;
  /** Its own and those of its image: believe none that was not set by whoever asks. */
  readonly labels: Labels;
  readonly createdAt: Date;
  readonly state: ContainerState;
  /** Address in each network that it is connected to. */
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
  /** Only the last so many lines. */
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
  /** In CIDR form, with the gateway's address where it has one. */
  readonly subnets: readonly { readonly subnet: string; readonly gateway: string | undefined }[];
}
