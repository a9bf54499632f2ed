/**
 * What a container is started from, whichever runtime starts it. What is left
 * out is closed: no capability, no privilege, a read-only root, no port, no
 * standard input. Each field opens what it names and nothing else.
 */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** Arguments behind the entry point; empty keeps the image's own. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Replaces the image's entry point; an empty list takes it away. Left out, the image's own. */
  readonly entrypoint?: readonly string[];
  /** User and group by number, `65532:65532`; left out, what the image says. */
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly mounts?: readonly ContainerMount[];
  /** Left out, the engine's default bridge. */
  readonly network?: ContainerNetwork;
  readonly ports?: readonly ContainerPort[];
  /**
   * `closed`: there is none. `once`: it ends when the one attached client goes,
   * right for a process per session. `open`: it stays open after a detach, and
   * one can attach again. Left out: `closed`.
   */
  readonly stdin?: 'closed' | 'once' | 'open';
  /** Capabilities that the container gets, `NET_BIND_SERVICE`; all others are dropped. */
  readonly capabilities?: readonly string[];
  readonly privileged?: boolean;
  /** True lets a program gain privileges by a set-user-id file. */
  readonly allowNewPrivileges?: boolean;
  readonly writableRoot?: boolean;
  /** A seccomp profile as JSON text; left out, the engine's own. */
  readonly seccompProfile?: string;
  readonly limits?: ContainerLimits;
  /** False starts the command as process 1 instead of behind an init process. */
  readonly init?: boolean;
  /** What the engine keeps of the output; left out, nothing. */
  readonly logs?: 'none' | { readonly maxBytes: number; readonly files: number };
  /** Time between asking to stop and killing, in milliseconds; left out, the runtime's own. */
  readonly stopGraceMs?: number;
}

export type ContainerMount =
  | {
      readonly type: 'bind';
      /** Absolute path on the host; it has to exist. */
      readonly source: string;
      readonly target: string;
      readonly readOnly: boolean;
    }
  | {
      readonly type: 'volume';
      /** Name of a volume of the engine, which makes it where it has none of that name. */
      readonly name: string;
      readonly target: string;
      readonly readOnly: boolean;
      /** Labels of a volume that is made. */
      readonly labels?: Labels;
    }
  | {
      readonly type: 'tmpfs';
      /** What lies below in the image or in another mount is hidden, never copied. */
      readonly target: string;
      readonly sizeBytes?: number;
      /** Permission bits; left out, 0o1777. */
      readonly mode?: number;
      readonly readOnly?: boolean;
      /** True lets programs be started from it. */
      readonly executable?: boolean;
    };

/** `joined` shares the network namespace of another container, whose name service and host name it then has. */
export type ContainerNetwork =
  | { readonly mode: 'bridge' | 'none' | 'host'; readonly dns?: readonly string[] }
  | { readonly mode: 'named'; readonly name: string; readonly dns?: readonly string[] }
  | { readonly mode: 'joined'; readonly container: string };

export interface ContainerPort {
  readonly containerPort: number;
  /** Left out, one that the engine chooses. */
  readonly hostPort?: number;
  /** Address on the host, `127.0.0.1`. */
  readonly hostAddress: string;
  /** Left out: `tcp`. */
  readonly protocol?: 'tcp' | 'udp';
}

/** Left out, a limit is the runtime's own default. */
export interface ContainerLimits {
  readonly memoryBytes?: number;
  /** Processor cores, parts of one allowed: `0.5`. */
  readonly cpus?: number;
  readonly processes?: number;
  readonly openFiles?: number;
}

export interface ContainerExit {
  readonly name: string;
  readonly exitCode: number;
}

export type Labels = Readonly<Record<string, string>>;
