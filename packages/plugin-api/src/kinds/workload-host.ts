import type { ServerBackend } from '../server-backend.ts';
import type { Labels } from '../container.ts';

/**
 * What runs the servers of workloads by itself: a cluster, a service, another
 * program. No engine of this machine is behind it, so nothing here knows
 * images or containers; what protects a server, the host has to do.
 *
 * A server goes by its labels. Everything that a host makes for one it finds
 * again by them, after this process has ended too. Every function that waits
 * ends soon after its signal aborts, and then rejects with the signal's reason.
 * A host that does not answer is ERR_RUNTIME_UNREACHABLE wherever it is met.
 */
export interface WorkloadHost {
  describe(signal?: AbortSignal): Promise<HostDescription>;
  /**
   * Makes what is needed for the server, and starts nothing. Throws why it
   * cannot; then nothing of it is left. Servers of that name which an earlier
   * supervisor has left were removed before.
   */
  open(server: HostedServer, told: HostedServerEvents, signal: AbortSignal): Promise<OpenServer>;
  /** Servers, running or not, that carry all of these labels with these values. */
  listServers(labels: Labels, signal?: AbortSignal): Promise<readonly HostedServerDescription[]>;
  /** Ends and removes everything of a server, whoever has opened it; one that is not there is no error. */
  removeServer(id: string, options?: RemoveServerOptions): Promise<void>;
}

export interface HostDescription {
  /** For people: `Kubernetes`. */
  readonly name: string;
  readonly version: string;
  /** Address that is talked to; where there is none, in words where servers run. */
  readonly address: string;
  /** From where the address is: a variable, a context, a setting. */
  readonly addressFrom: string;
  /** What a run config may ask of this host. A workload that asks for more is refused, and nothing of it is started. */
  readonly enforces: readonly HostProtection[];
}

/**
 * What a host gives to a server when its run config asks for it:
 * - `network-isolation`: hosts and ports that are not allowed cannot be reached,
 *   whatever the server does; the rules stand in `HostedServer.outbound`;
 * - `no-network`: a server that reaches nothing at all;
 * - `confinement`: a root folder that is read-only, no capabilities, no way to
 *   more rights, and limits for memory and processes. It is asked for by every
 *   workload: without it, whoever starts one is warned.
 */
export type HostProtection = (typeof HOST_PROTECTIONS)[number];
export const HOST_PROTECTIONS = ['network-isolation', 'no-network', 'confinement'] as const;

/** What a host is to run: of the run config, what it may need. */
export interface HostedServer {
  readonly name: string;
  readonly labels: Labels;
  /** Reference of the image; with its digest where that was verified, and then nothing else may be run. */
  readonly image: string;
  /** `$(NAME)` stands for the variable NAME of `environment`, as in a pod of Kubernetes; an argument with a secret has it so. */
  readonly arguments: readonly string[];
  /** Every variable of the server, those of its transport too. */
  readonly environment: Readonly<Record<string, string>>;
  /** Those of the variables whose values are secret: they stand in no log, and in nothing that others can read. */
  readonly secretNames: readonly string[];
  readonly transport: 'stdio' | 'sse' | 'streamable-http';
  /** Where a server that speaks HTTP listens; 0 for one that does not. */
  readonly port: number;
  /** Path and query of the endpoint of a server that speaks HTTP; left out: that of its transport. */
  readonly path?: string;
  /** How clients of a server on standard input and output are served; a `MessageBackend` says it again. */
  readonly mode: 'streamable-http' | 'sse';
  readonly sessions: 'own' | 'shared';
  /** `isolated`: only with `network-isolation` among `enforces`. `none`: only with `no-network`. */
  readonly network: 'open' | 'isolated' | 'none';
  /** Of `isolated`, the rules of the permission profile as they stand there. */
  readonly outbound: HostedOutbound;
}

export interface HostedOutbound {
  readonly allowAll: boolean;
  /** Names such as `api.example.com`, `.example.com` for all below it, addresses and CIDR ranges. None: any host, where ports are named. */
  readonly hosts: readonly string[];
  /** None: any port, where hosts are named. */
  readonly ports: readonly number[];
}

/** Told by the host while a server is open; each returns at once and never throws. */
export interface HostedServerEvents {
  /** A line of output, without its line end. `process` tells several apart. */
  readonly line: (text: string, process?: string) => void;
  /** The server has ended though nobody has asked for it: once for each time that it was started. */
  readonly ended: (exit: HostedExit) => void;
  /** What the host is doing meanwhile, for people who wait. */
  readonly progress: (text: string) => void;
}

export interface HostedExit {
  /** Undefined where a host does not know it. */
  readonly exitCode: number | undefined;
  /** For people: `exit status 3`, `it ran out of memory`. */
  readonly how: string;
  /** Whether somebody else removed the server: the workload is stopped, keeps its settings, and is not restarted. */
  readonly removed?: boolean;
}

/** The server side of a workload. */
export interface OpenServer {
  readonly backend: ServerBackend;
  /**
   * Starts a server that speaks HTTP, and settles when it runs; whether it
   * answers is asked through the backend. It is called again after each end
   * that was told, and starts a new one then. Of a server that is spoken to by
   * messages it is not called: the backend is asked for connections.
   */
  start(signal: AbortSignal): Promise<void>;
  /** The server does not answer any more: it is ended, and `ended` told, unless it has ended already. */
  notAnswering(reason: string): void;
  /** Ends the server and removes what was made for it; settles when it is gone. Safe to call twice. */
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
  /** How long it may take to stop before it is killed; 0 kills at once; left out, as the host does. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}
