import type { Agent } from 'node:http';
import type { ClientExchange } from './kinds/proxy-exchange.ts';

/** Connection to the MCP server of a workload. The supervisor provides it, and the proxy uses it. */
export type ServerBackend = MessageBackend | HttpBackend;

/** The proxy speaks HTTP on behalf of the server. */
export interface MessageBackend {
  readonly carries: 'messages';
  readonly openConnection: OpenConnection;
  /** How clients are served; `sse` is deprecated. */
  readonly mode: 'streamable-http' | 'sse';
  /** `own`: one process per session. `shared`: one for all, for servers with an exclusive resource. */
  readonly sessions: 'own' | 'shared';
  /**
   * Whether clients reach a server of another protocol era by translation. Otherwise the proxy refuses them.
   * Default: false.
   */
  readonly translatesEras?: boolean;
  /**
   * Whether the backend limits the time of requests itself, and responds with an error in time. Otherwise the proxy
   * does, with an HTTP error. Default: false.
   */
  readonly limitsRequests?: boolean;
  /**
   * Whether the server runs only while clients use it. The proxy then starts no process before it is needed.
   * Default: false.
   */
  readonly startsOnDemand?: boolean;
  /**
   * Returns the response to a client's request as JSON text, while the server does not run and the response is known.
   * The client then need not wait for a start. By default, every request starts the server.
   */
  readonly respondAtRest?: (request: RequestAtRest) => string | undefined;
  /** Whether the backend adds the credentials of proxy middleware itself. Default: false. */
  readonly sendsCredentials?: boolean;
}

/** Request of a client to a server that may not run. */
export interface RequestAtRest {
  /** Id of the request; `text` is its JSON text. */
  readonly id: { readonly text: string };
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/** A server that speaks HTTP itself. */
export interface HttpBackend {
  readonly carries: 'http';
  readonly transport: 'streamable-http' | 'sse';
  /**
   * Address of the server. Only the origin counts for a server that the workload runs; for a remote, path and
   * query count too.
   */
  readonly target: URL;
  /**
   * Path and query of a server that the workload runs, such as `/tools/mcp`. Default: `/mcp`, or `/sse` for
   * the transport `sse`.
   */
  readonly endpoint?: string;
  /**
   * Whether the path of a remote server contains a secret. Clients then use `/mcp` or `/sse`, and no message
   * shows the path.
   */
  readonly hidesPath?: boolean;
  readonly isRemote: boolean;
  /** Headers to add to every request. They are validated before the first request. */
  readonly forwardHeaders?: readonly ForwardedHeader[];
  readonly credentials?: OutgoingCredentials;
  /**
   * What to do when the server rejects credentials, as a sentence for clients: "Log in again: portolan login
   * NAME". By default, to ask the operator.
   */
  readonly renewal?: string;
  /** Agent that opens the connections, for example over a Unix socket. The proxy closes it. */
  readonly agent?: Agent;
  /**
   * Whether clients reach a server of another protocol era by translation. The proxy then has sessions of its own
   * with the server, and changes messages. Default: false.
   */
  readonly translatesEras?: boolean;
  /** Whether health checks are sent. Default: true, except for a remote. */
  readonly checksHealth?: boolean;
}

/** Authenticates individual requests to a server. */
export interface OutgoingCredentials {
  /**
   * Returns headers that authenticate a request. They replace headers of the client and of `forwardHeaders`.
   * The client gets errors like those of proxy middleware. `signal` aborts when the client has disconnected.
   */
  credentials(
    outgoing: OutgoingRequest,
    signal: AbortSignal,
  ): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]>;
  /**
   * Called once for each request that the server rejected with these headers. True means that new credentials
   * are available, and the proxy sends the request once more. Otherwise the client gets the response without
   * the server's challenge.
   */
  refused?(sent: readonly ForwardedHeader[], refusal: CredentialsRefusal): Promise<boolean>;
  /** Closes its resources. Idempotent. Never rejects. */
  close?(): Promise<void>;
}

/** How a server rejected a request. */
export interface CredentialsRefusal {
  /**
   * 401 for missing or invalid credentials. 403 for missing permissions, only with a challenge that says
   * which.
   */
  readonly status: 401 | 403;
  /** Header `WWW-Authenticate`, unchanged. Undefined when the response has none. */
  readonly challenge: string | undefined;
}

/** A request just before it is sent to the server. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names, including forwarded headers of the client. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Returns the SHA-256 of the exact body in hex, also for an empty body. */
  readonly bodyHash: () => Promise<string>;
}

export interface ForwardedHeader {
  readonly name: string;
  readonly value: string;
}

/** Connection to one process. Messages are JSON texts with untrusted content. */
export interface ServerConnection {
  /** Messages from the process. Ends or throws when the process ends. Supports only one reader. */
  readonly received: AsyncIterable<ReceivedMessage>;
  /**
   * Resolves when the message was accepted, so that a slow server slows its senders. Connections to one
   * process ignore `sender`.
   */
  send(message: string, sender?: MessageSender): Promise<void>;
  /** Ends the process. Idempotent, also after the process has ended. */
  close(): Promise<void>;
}

/** The client that a message comes from, for connections that serve several clients. */
export interface MessageSender {
  /** Issuer and subject of the caller as one text. Undefined when callers do not authenticate. */
  readonly owner: string | undefined;
  /** Request of the message. Undefined without proxy middleware, and for messages of the proxy itself. */
  readonly exchange: Omit<ClientExchange, 'message'> | undefined;
}

/** Starts another process of the server. */
export type OpenConnection = (signal: AbortSignal) => Promise<ServerConnection>;

/** A message, or the beginning of one that was too long. */
export type ReceivedMessage = string | OverlongMessage;

/** A message longer than `maxMessageBytes`. Later messages are received normally. */
export interface OverlongMessage {
  /** The first 64 KiB of the message. */
  readonly beginning: string;
}
