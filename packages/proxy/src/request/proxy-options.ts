import type { OwnRequests } from '@portolan/mcp-protocol';
import type { AuthProvider, Logger, ServerBackend, SessionStore } from '@portolan/plugin-api';
import type { HealthLimits } from '../health/health-monitor.ts';
import type { ListenerLimits } from '../listen/open-listener.ts';
import type { PlacedProxyMiddleware } from './placed-middleware.ts';
import type { RestartPace } from './restart-pace.ts';

/** Limits of a proxy. Times are in milliseconds. */
export interface ProxyLimits {
  readonly bodyBytes: number;
  /** Maximum time for a response without any progress. */
  readonly requestMs: number;
  /** Maximum total time for a response. */
  readonly longestRequestMs: number;
  /** Maximum time for a server to respond to a request that its client has cancelled. */
  readonly cancelledMs: number;
  /** Maximum time for a request of a server to wait for a stream to its client. */
  readonly deliverMs: number;
  /** Time without a message after which a client gets a stream with comments. */
  readonly silenceMs: number;
  readonly commentMs: number;
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Maximum number of unread bytes of all slow clients together. */
  readonly unreadTotalBytes: number;
  readonly keptEvents: number;
  readonly keptBytes: number;
  /** Maximum number of buffered response bytes of all disconnected clients together. */
  readonly heldBytes: number;
  readonly resumableMs: number;
  readonly queuedMessages: number;
  readonly queuedBytes: number;
  /** Maximum number of processes of a server, including the spare. */
  readonly mostProcesses: number;
  readonly mostSessions: number;
  /** Minimum idle time before a session may be ended to make room for another one. */
  readonly makesRoomAfterMs: number;
  /** Maximum wait for a free place in the pool, and for the start of a process there. */
  readonly startWaitMs: number;
  /**
   * Delay before the next spare process starts, so that the client that took the last one gets its CPU time.
   */
  readonly spareDelayMs: number;
  /**
   * Maximum time for a process to respond to a client's `initialize` after the proxy's own. Then the client
   * gets another process.
   */
  readonly greetAgainMs: number;
  /**
   * Extra time for the probe of the protocol revision, compared to the first response to `initialize`. A
   * slower process counts as Legacy.
   */
  readonly probeMs: number;
  /** Maximum time for a process that has just started to respond to its probe. */
  readonly startTimeoutMs: number;
  readonly mostSubscriptions: number;
  /** Timeout of a connection attempt to an HTTP server. */
  readonly connectMs: number;
  /** Maximum time for pending requests to finish when the proxy closes. */
  readonly graceMs: number;
  readonly health: HealthLimits;
  readonly listener: ListenerLimits;
}

/** How clients can log in at a remote server on their own. */
export interface RemoteLogin {
  /** Workload name for the command `portolan login NAME` in an error. */
  readonly workload: string;
  /**
   * Returns the token issuers of the remote server. Undefined when it names none and has refused no request.
   * Rejects when its metadata is untrustworthy.
   */
  readonly find: (asked: {
    /** Metadata address from a challenge of the remote server. */
    readonly metadataUrl: string | undefined;
    /** Whether the remote server has refused a request without a token (401). */
    readonly wasRefused: boolean;
  }) => Promise<
    { readonly authorizationServers: readonly string[]; readonly scopes: readonly string[] } | undefined
  >;
}

export interface ProxyOptions {
  readonly backend: ServerBackend;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, which selects a free port. */
  readonly port?: number;
  /** Identifier in `/health` that distinguishes this proxy from another program on its port. */
  readonly instance: string;
  /** Name of the transport in `/health`. */
  readonly transport: string;
  readonly version: string;
  /**
   * Keys for the supervisor's own health requests. Such a request needs no other credential, and its process
   * serves the next client. Default: none.
   */
  readonly ownRequests?: OwnRequests;
  /** Origins of web pages that may use the proxy, in addition to its own on loopback. */
  readonly allowedOrigins?: readonly string[];
  /** Public address of the proxy. */
  readonly resourceUrl?: URL;
  /** Whether to trust the `X-Forwarded-*` headers of every peer. */
  readonly trustProxyHeaders?: boolean;
  /** Prefix of the message endpoint's path (HTTP+SSE). */
  readonly endpointPrefix?: string;
  /** Whether the server is stateless: no sessions, and only POST. */
  readonly isStateless?: boolean;
  /**
   * Store that keeps the sessions of a streamable HTTP server for several proxies. The caller closes it.
   * Default: each proxy has its own sessions.
   */
  readonly sessionStore?: SessionStore;
  /**
   * Idle time after which a session and its streams end, in milliseconds. Only messages of the client count.
   * Default: 2 hours, and an open stream keeps its session alive.
   */
  readonly sessionTtlMs?: number;
  /** Restart policy for the processes of a bridged server. Undefined for an HTTP server. */
  readonly restarts?: RestartPace;
  /** Middleware in the slots of the message path. Without any, an HTTP server gets every byte unchanged. */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  /** Authenticates callers. Default: no authentication. */
  readonly authProvider?: AuthProvider;
  /**
   * Whether callers must authenticate. Then a session belongs to the caller that opened it, and the
   * credentials are not forwarded. Default: true.
   */
  readonly callersProve?: boolean;
  readonly limits?: Partial<ProxyLimits>;
  /** Default: clients cannot log in at the remote server on their own. */
  readonly remoteLogin?: RemoteLogin;
  /** Called each time the server becomes unavailable without a prospect of recovery. */
  readonly failing?: (reason: string) => void;
  /** Called when an HTTP server is available again after `failing`. */
  readonly recovered?: () => void;
  /**
   * Called with true when a remote server responds with 401 to the proxy's credentials, and with false after
   * a later success.
   */
  readonly refused?: (isRefused: boolean) => void;
  readonly logger: Logger;
  /**
   * Returns why the server is unreachable, as a phrase. Undefined while it is reachable. Called for each
   * request.
   */
  readonly missing?: () => string | undefined;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}
