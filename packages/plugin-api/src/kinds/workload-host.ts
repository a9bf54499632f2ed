import type { ServerBackend } from '../server-backend.ts';
import type { Labels } from '../container.ts';

/**
 * Runs the servers of workloads itself: a cluster, a service, another program. It has no images or
 * containers, and the host must enforce protections.
 * The host finds everything of a server by its labels, even after this process has ended. Asynchronous
 * functions settle soon after their signal aborts, with its reason. An unresponsive host is
 * ERR_RUNTIME_UNREACHABLE everywhere.
 */
export interface WorkloadHost {
  describe(signal?: AbortSignal): Promise<HostDescription>;
  /**
   * Prepares a server without starting it. On failure, leaves nothing behind. The caller has already removed
   * servers of the same name from an earlier supervisor.
   */
  open(server: HostedServer, events: HostedServerEvents, signal: AbortSignal): Promise<OpenServer>;
  /** Returns servers that have all of these labels, running or not. */
  listServers(labels: Labels, signal?: AbortSignal): Promise<readonly HostedServerDescription[]>;
  /** Removes everything of a server, whichever process opened it. Ignores an absent one. */
  removeServer(id: string, options?: RemoveServerOptions): Promise<void>;
}

export interface HostDescription {
  /** Display name, such as `Kubernetes`. */
  readonly name: string;
  readonly version: string;
  /** Address of the host, or a description of where servers run. */
  readonly address: string;
  /** Where the address comes from: an environment variable, a context or a setting. */
  readonly addressFrom: string;
  /**
   * Protections that the host enforces. A workload that requires any other protection is refused before it
   * starts.
   */
  readonly enforces: readonly HostProtection[];
}

/**
 * Protections of a server that a host can enforce:
 * - `network-isolation`: the server reaches only what `HostedServer.outbound` allows;
 * - `no-network`: the server reaches nothing at all;
 * - `confinement`: a read-only root folder, no capabilities, no privilege escalation, and limits on memory
 *   and processes. Every workload requests it; without it, the user gets a warning.
 */
export type HostProtection = (typeof HOST_PROTECTIONS)[number];
export const HOST_PROTECTIONS = ['network-isolation', 'no-network', 'confinement'] as const;

export interface HostedServer {
  readonly name: string;
  readonly labels: Labels;
  /** Image reference. With a verified digest, no other image may run. */
  readonly image: string;
  /**
   * `$(NAME)` refers to the variable NAME of `environment`, as in a Kubernetes pod. Arguments with secrets
   * use it.
   */
  readonly arguments: readonly string[];
  /** Environment variables, including those that the transport sets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values of these variables must not appear in logs or in anything that others can read. */
  readonly secretNames: readonly string[];
  readonly transport: 'stdio' | 'sse' | 'streamable-http';
  /** Port of the HTTP server. 0 for a server without HTTP. */
  readonly port: number;
  /** Path and query of the endpoint. Default: the path of the transport. */
  readonly path?: string;
  /** How clients of a stdio server are served; a `MessageBackend` repeats it. */
  readonly mode: 'streamable-http' | 'sse';
  readonly sessions: 'own' | 'shared';
  /** `isolated` requires `network-isolation` in `enforces`, and `none` requires `no-network`. */
  readonly network: 'open' | 'isolated' | 'none';
  /** Allowed connections for `network: 'isolated'`, from the permission profile. */
  readonly outbound: HostedOutbound;
}

export interface HostedOutbound {
  readonly allowAll: boolean;
  /**
   * `api.example.com`, `.example.com` for all names below it, addresses and CIDR ranges. Empty for any host
   * when ports are listed.
   */
  readonly hosts: readonly string[];
  /** Empty for any port when hosts are listed. */
  readonly ports: readonly number[];
}

/** Callbacks while a server is open. Each returns at once and never throws. */
export interface HostedServerEvents {
  /** One line of output without its line end. `process` distinguishes several processes. */
  readonly line: (text: string, process?: string) => void;
  /** The server ended without a request, reported once per start. */
  readonly ended: (exit: HostedExit) => void;
  /** Progress for waiting users. */
  readonly progress: (text: string) => void;
}

export interface HostedExit {
  readonly exitCode: number | undefined;
  /** How the server ended, for people: `exit status 3`, `it ran out of memory`. */
  readonly how: string;
  /**
   * Whether another party removed the server. The workload then stops, keeps its settings and is not
   * restarted.
   */
  readonly removed?: boolean;
}

export interface OpenServer {
  readonly backend: ServerBackend;
  /**
   * Starts the server. Resolves when an HTTP server runs, even if it does not respond yet. Called again after
   * each reported end. Not called for a server that uses messages, because its backend opens connections.
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Reports that the server does not respond. The host stops it and calls `ended`, unless it has ended
   * already.
   */
  notAnswering(reason: string): void;
  /** Removes everything of the server and resolves when it is gone. Idempotent. */
  close(): Promise<void>;
}

export interface HostedServerDescription {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  readonly image: string;
  readonly running: boolean;
  readonly createdAt: Date;
}

export interface RemoveServerOptions {
  /** Grace time before the kill, in milliseconds; 0 kills at once. Default: the host's own. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}
