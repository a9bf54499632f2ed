import type { OwnRequests } from '@portolan/mcp-protocol';
import type { AuthProvider, Logger, ServerBackend, SessionStore } from '@portolan/plugin-api';
import type { HealthLimits } from '../health/health-monitor.ts';
import type { ListenerLimits } from '../listen/open-listener.ts';
import type { PlacedProxyMiddleware } from './placed-middleware.ts';
import type { RestartPace } from './restart-pace.ts';

/** Limits of a proxy, in milliseconds where they are times. */
export interface ProxyLimits {
  readonly bodyBytes: number;
  /** Maximum time without progress. */
  readonly requestMs: number;
  readonly longestRequestMs: number;
  /** Maximum time for a server to respond after a cancellation. */
  readonly cancelledMs: number;
  /** Maximum wait of a server's request for a stream to its client. */
  readonly deliverMs: number;
  /** Silence after which a client gets a stream with comments. */
  readonly silenceMs: number;
  readonly commentMs: number;
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Maximum for all slow clients together. */
  readonly unreadTotalBytes: number;
  readonly keptEvents: number;
  readonly keptBytes: number;
  /** Maximum buffered responses of all disconnected clients together. */
  readonly heldBytes: number;
  readonly resumableMs: number;
  readonly queuedMessages: number;
  readonly queuedBytes: number;
  /** Maximum number of processes, including the spare. */
  readonly maxProcesses: number;
  readonly maxSessions: number;
  /** Minimum idle time of a session before the proxy may end it to admit a new session. */
  readonly makesRoomAfterMs: number;
  /** Maximum wait for free capacity in the process pool, and again for the start of the process. */
  readonly startWaitMs: number;
  /**
   * Delay before the next spare process starts, which leaves CPU time to the client that took the last spare.
   */
  readonly spareDelayMs: number;
  /**
   * Maximum time for the response to a client's `initialize` on a process that has already received one from
   * the proxy. Then the client gets another process.
   */
  readonly greetAgainMs: number;
  /**
   * Time for a probe in addition to the time that the first response to `initialize` took. A slower process
   * counts as Legacy (handshake required).
   */
  readonly probeMs: number;
  /** Maximum time for a new process to respond to its probe. */
  readonly startTimeoutMs: number;
  readonly maxSubscriptions: number;
  readonly connectMs: number;
  readonly graceMs: number;
  readonly health: HealthLimits;
  readonly listener: ListenerLimits;
}

export interface RemoteLogin {
  readonly workload: string;
  /**
   * Returns where clients can log in at the remote server. Undefined when the server names no token issuers
   * and has refused no request. Rejects when its metadata is untrustworthy.
   */
  readonly find: (request: {
    readonly metadataUrl: string | undefined;
    /** Whether the remote server refused a request without a token (401). */
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
  readonly instance: string;
  readonly transport: string;
  readonly version: string;
  /**
   * Single-use keys of the supervisor's health checks. A request with a valid key needs no other credential.
   * Default: no such requests.
   */
  readonly ownRequests?: OwnRequests;
  /** Origins of web pages, in addition to the proxy's own on loopback. */
  readonly allowedOrigins?: readonly string[];
  readonly resourceUrl?: URL;
  /** Whether to trust the `X-Forwarded-*` headers of every peer. */
  readonly trustProxyHeaders?: boolean;
  /** Prefix of the message endpoint (HTTP+SSE). */
  readonly endpointPrefix?: string;
  /** Whether the server has no sessions, and takes only POST. */
  readonly isStateless?: boolean;
  /** Sessions of a streamable HTTP server for several proxies. The caller closes the store. */
  readonly sessionStore?: SessionStore;
  /**
   * Idle time in milliseconds that only client messages reset. Default: 2 hours, and an open stream keeps its
   * session alive.
   */
  readonly sessionTtlMs?: number;
  readonly restarts?: RestartPace;
  /** Proxy middleware. When there is none, an HTTP server gets every byte unchanged. */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  readonly authProvider?: AuthProvider;
  /**
   * Whether callers authenticate to the proxy. If so, a session belongs to its caller, and credentials are
   * not forwarded. Default: true.
   */
  readonly callersProve?: boolean;
  readonly limits?: Partial<ProxyLimits>;
  readonly remoteLogin?: RemoteLogin;
  /** Called when the server becomes unavailable and is unlikely to recover. */
  readonly failing?: (reason: string) => void;
  readonly recovered?: () => void;
  /** Called with true on a remote 401 to the proxy's credentials, and with false after a later success. */
  readonly refused?: (isRefused: boolean) => void;
  readonly logger: Logger;
  /** Returns a phrase that says why the server is unreachable, if it is. Called for each request. */
  readonly missing?: () => string | undefined;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}
