/**
 * Specification of a container for any runtime. Absent fields are restrictive: no capabilities, no
 * privileges, a read-only root, no ports, no standard input.
 */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** Arguments after the entry point. Empty: the image's own. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** An empty list removes the entry point. Default: the image's own. */
  readonly entrypoint?: readonly string[];
  /** Numeric user and group, such as `65532:65532`. Default: the image's own. */
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly mounts?: readonly ContainerMount[];
  /** Default: the engine's default bridge. */
  readonly network?: ContainerNetwork;
  readonly ports?: readonly ContainerPort[];
  /**
   * `closed`: no standard input. `once`: standard input ends when its only client disconnects, for one
   * process per session. `open`: standard input stays open for later attachments. Default: `closed`.
   */
  readonly stdin?: 'closed' | 'once' | 'open';
  /** Linux capabilities that the container keeps, such as `NET_BIND_SERVICE`. All others are dropped. */
  readonly capabilities?: readonly string[];
  readonly privileged?: boolean;
  /** Permits privileges through a set-user-id file. */
  readonly allowNewPrivileges?: boolean;
  readonly writableRoot?: boolean;
  /** seccomp profile as JSON text. Default: the engine's own. */
  readonly seccompProfile?: string;
  readonly limits?: ContainerLimits;
  /** Whether an init process starts the command. False runs the command as process 1. */
  readonly init?: boolean;
  /** Output that the engine stores. Default: none. */
  readonly logs?: 'none' | { readonly maxBytes: number; readonly files: number };
  /** Milliseconds between the stop signal and the kill. Default: the runtime's own. */
  readonly stopGraceMs?: number;
}

export type ContainerMount =
  | {
      readonly type: 'bind';
      /** Absolute path on the host, which must exist. */
      readonly source: string;
      readonly target: string;
      readonly readOnly: boolean;
    }
  | {
      readonly type: 'volume';
      /** The engine creates the volume if it does not exist. */
      readonly name: string;
      readonly target: string;
      readonly readOnly: boolean;
      readonly labels?: Labels;
    }
  | {
      readonly type: 'tmpfs';
      /** Path in the container. The mount hides what the image or an earlier mount has at this path. */
      readonly target: string;
      readonly sizeBytes?: number;
      /** Permission bits. Default: 0o1777. */
      readonly mode?: number;
      readonly readOnly?: boolean;
      readonly executable?: boolean;
    };

/** `joined` shares the network namespace of another container, including its DNS and host name. */
export type ContainerNetwork =
  | { readonly mode: 'bridge' | 'none' | 'host'; readonly dns?: readonly string[] }
  | { readonly mode: 'named'; readonly name: string; readonly dns?: readonly string[] }
  | { readonly mode: 'joined'; readonly container: string };

export interface ContainerPort {
  readonly containerPort: number;
  /** Default: the engine chooses a port. */
  readonly hostPort?: number;
  /** Address on the host, such as `127.0.0.1`. */
  readonly hostAddress: string;
  /** Default: `tcp`. */
  readonly protocol?: 'tcp' | 'udp';
}

/** Resource limits. Default of each: the runtime's own. */
export interface ContainerLimits {
  readonly memoryBytes?: number;
  /** CPU cores, such as `0.5`. */
  readonly cpus?: number;
  readonly processes?: number;
  readonly openFiles?: number;
}

export interface ContainerExit {
  readonly name: string;
  readonly exitCode: number;
}

export type Labels = Readonly<Record<string, string>>;
