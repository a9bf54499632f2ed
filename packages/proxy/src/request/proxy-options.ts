import type { OwnRequests } from '@portolan/mcp-protocol';
import type { AuthProvider, Logger, ServerBackend, SessionStore } from '@portolan/plugin-api';
import type { HealthLimits } from '../health/health-monitor.ts';
import type { ListenerLimits } from '../listen/open-listener.ts';
import type { PlacedProxyMiddleware } from './placed-middleware.ts';
import type { RestartPace } from './restart-pace.ts';

/** Times in milliseconds. */
export interface ProxyLimits {
  /** Largest body of a request. */
  readonly bodyBytes: number;
  /** How long a request may wait without a sign of life. */
  readonly requestMs: number;
  /** How long a request may wait at all. */
  readonly longestRequestMs: number;
  /** Maximum time for a server to respond to a request that its client has cancelled. */
  readonly cancelledMs: number;
  /** How long a request of a server may wait for a stream to its client. */
  readonly deliverMs: number;
  /** How long a client waits in silence before it gets a stream with comments. */
  readonly silenceMs: number;
  readonly commentMs: number;
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Most bytes that wait for clients who take nothing, all of them together. */
  readonly unreadTotalBytes: number;
  readonly keptEvents: number;
  readonly keptBytes: number;
  /** Most bytes of answers that are held for clients who have left, all of them together. */
  readonly heldBytes: number;
  readonly resumableMs: number;
  readonly queuedMessages: number;
  readonly queuedBytes: number;
  /** Most processes of a server at once, the spare included. */
  readonly mostProcesses: number;
  /** Most sessions that share a process. */
  readonly mostSessions: number;
  /** How long a session has been idle at least before it may have to make room. */
  readonly makesRoomAfterMs: number;
  /** How long somebody waits for a place, and for a process to start there. */
  readonly startWaitMs: number;
  /** How long the next spare process waits after one was taken, so that whoever took it is served first. */
  readonly spareDelayMs: number;
  /** How long a process that has answered our own `initialize` may take for that of a client; then that gets another one. */
  readonly greetAgainMs: number;
  /**
   * Time that a probe for the protocol revision may take longer than the first response to
   * `initialize`. A process that needs more counts as one of older revisions.
   */
  readonly probeMs: number;
  /** Maximum time for a process that has just started to respond to its probe. */
  readonly startTimeoutMs: number;
  /** Most open `subscriptions/listen` at once. */
  readonly mostSubscriptions: number;
  /** Time for a connection to a server that speaks HTTP. */
  readonly connectMs: number;
  /** How long running requests may go on when the proxy closes. */
  readonly graceMs: number;
  readonly health: HealthLimits;
  readonly listener: ListenerLimits;
}

/** How clients can log in by themselves at a remote server. */
export interface RemoteLogin {
  /** Name of the workload, for the error that names `portolan login NAME`. */
  readonly workload: string;
  /**
   * Returns who issues tokens for the remote server; undefined where it does not say, and has refused nobody. Rejects
   * when its metadata cannot be trusted.
   */
  readonly find: (asked: {
    /** Address that a challenge of the remote server named. */
    readonly metadataUrl: string | undefined;
    /** Whether the remote server has refused a request without a token of the workload (401). */
    readonly wasRefused: boolean;
  }) => Promise<
    { readonly authorizationServers: readonly string[]; readonly scopes: readonly string[] } | undefined
  >;
}

export interface ProxyOptions {
  readonly backend: ServerBackend;
  /** Left out: 127.0.0.1. */
  readonly host?: string;
  /** Left out, or 0: any free one. */
  readonly port?: number;
  /** Tells this proxy from another program on its port; stands in `/health`. */
  readonly instance: string;
  /** Name of the transport in `/health`. */
  readonly transport: string;
  /** Our version, for servers that the proxy greets itself. */
  readonly version: string;
  /**
   * Keys of requests that the opener of the proxy sends to check whether the
   * server responds. They need no other credential, and the process that responds
   * serves the next client. Left out: there are none.
   */
  readonly ownRequests?: OwnRequests;
  /** Origins of web pages that may use the proxy, beside its own on loopback. */
  readonly allowedOrigins?: readonly string[];
  /** Address under which the proxy is known outside. */
  readonly resourceUrl?: URL;
  /** Whether `X-Forwarded-*` of whoever connects is believed. */
  readonly trustProxyHeaders?: boolean;
  /** What stands before the paths of message endpoints (HTTP+SSE). */
  readonly endpointPrefix?: string;
  /** Whether the server keeps nothing between requests: there are no sessions, and POST alone. */
  readonly isStateless?: boolean;
  /**
   * Keeps the sessions of a server that speaks streamable HTTP, for several
   * proxies; whoever opened it closes it. Left out: each proxy knows its own.
   */
  readonly sessionStore?: SessionStore;
  /**
   * Time without a message of the client after which a session ends and its streams close, in
   * milliseconds. Left out: 2 hours, and an open stream keeps its session.
   */
  readonly sessionTtlMs?: number;
  /** When processes of a server that is spoken to by messages are started again; left out for one that speaks HTTP. */
  readonly restarts?: RestartPace;
  /**
   * Stands in the slots of the message path; none, or left out: no slot is there
   * at all, and a server that speaks HTTP gets every byte as it came.
   */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  /** Says who asks; left out: nobody has to say. */
  readonly authProvider?: AuthProvider;
  /**
   * Whether callers have to prove who they are to it: then sessions belong to who
   * began them, and what they prove it with goes no further. Left out: true.
   */
  readonly callersProve?: boolean;
  readonly limits?: Partial<ProxyLimits>;
  /** Left out: clients cannot log in at the remote server by themselves. */
  readonly remoteLogin?: RemoteLogin;
  /** The server cannot be used and will not get better by itself; called once for each time. */
  readonly failing?: (reason: string) => void;
  /** A server that speaks HTTP can be used again, after `failing`. */
  readonly recovered?: () => void;
  /**
   * A remote has refused the credentials that the proxy sends, or that it sends
   * none (401); false when it answers as it should after that.
   */
  readonly refused?: (isRefused: boolean) => void;
  readonly logger: Logger;
  /** Why the server cannot be reached now, as a phrase; undefined while it can. Asked for each request. */
  readonly missing?: () => string | undefined;
  /** Time of day, for what is reported. */
  readonly clock: () => Date;
  /** Monotonic time in milliseconds, for intervals; default `performance.now`. */
  readonly nowMs?: () => number;
}
