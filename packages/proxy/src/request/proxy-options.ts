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
  /** Minimum idle time before a session may be ended for another. */
  readonly makesRoomAfterMs: number;
  /** Maximum wait for a free place in the pool, and for the start there. */
  readonly startWaitMs: number;
  /** Leaves CPU time to the client that took the last spare. */
  readonly spareDelayMs: number;
  /** Maximum time for a client's `initialize` after the proxy's own; then the client gets another process. */
  readonly greetAgainMs: number;
  /** Extra time for the probe compared to the first `initialize`; a slower process counts as Legacy. */
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
   * Undefined when the remote server names no token issuers and has refused no request. Rejects when its
   * metadata is untrustworthy.
   */
  readonly find: (asked: {
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
  /** A request with such a key, for the supervisor's checks, needs no other credential. Default: none. */
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
  /** Without any, an HTTP server gets every byte unchanged. */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  readonly authProvider?: AuthProvider;
  /** If so, a session belongs to its caller, and credentials are not forwarded. Default: true. */
  readonly callersProve?: boolean;
  readonly limits?: Partial<ProxyLimits>;
  readonly remoteLogin?: RemoteLogin;
  /** Called when the server becomes unavailable without a prospect of recovery. */
  readonly failing?: (reason: string) => void;
  readonly recovered?: () => void;
  /** Called with true on a remote 401 to the proxy's credentials, and with false after a later success. */
  readonly refused?: (isRefused: boolean) => void;
  readonly logger: Logger;
  /** Returns, for each request, why the server is unreachable, as a phrase. */
  readonly missing?: () => string | undefined;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}
