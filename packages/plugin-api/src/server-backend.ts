import type { Agent } from 'node:http';

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
   * The path of a remote contains a secret: clients then use `/mcp` or `/sse`, and no message shows the path.
   */
  readonly hidesPath?: boolean;
  readonly isRemote: boolean;
  /** Headers of every request, validated before the first. */
  readonly forwardHeaders?: readonly ForwardedHeader[];
  readonly credentials?: OutgoingCredentials;
  /**
   * What to do when the server rejects credentials, as a sentence for clients: "Log in again: portolan login
   * NAME". By default, to ask the operator.
   */
  readonly renewal?: string;
  /** Opens connections, for example over a Unix socket. The proxy closes it. */
  readonly agent?: Agent;
  /** Whether health checks are sent. Default: true, except for a remote. */
  readonly checksHealth?: boolean;
}

/** Authenticates individual requests to a server. */
export interface OutgoingCredentials {
  /**
   * The headers replace those of the client and of `forwardHeaders`. Errors reach the client like those of
   * proxy middleware. `signal` aborts when the client has left.
   */
  credentials(
    outgoing: OutgoingRequest,
    signal: AbortSignal,
  ): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]>;
  /**
   * Called once for each request that the server rejected with these headers. True: new credentials are
   * available, and the request is sent once more. Otherwise the client gets the response without the server's
   * challenge.
   */
  refused?(sent: readonly ForwardedHeader[], refusal: CredentialsRefusal): Promise<boolean>;
  /** Closes its resources. Idempotent. Never rejects. */
  close?(): Promise<void>;
}

/** How a server rejected a request. */
export interface CredentialsRefusal {
  /** 401: unauthenticated. 403, only with a challenge that says what is missing: not permitted. */
  readonly status: 401 | 403;
  /** `WWW-Authenticate`, unchanged; undefined without one. */
  readonly challenge: string | undefined;
}

/** Just before it is sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names, including forwarded headers of the client. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Returns the SHA-256 of the exact body in hex, also of an empty one. */
  readonly bodyHash: () => Promise<string>;
}

export interface ForwardedHeader {
  readonly name: string;
  readonly value: string;
}

/** Connection to one process. Messages are JSON texts with untrusted content. */
export interface ServerConnection {
  /** Ends or throws when the process ends. Has a single reader. */
  readonly received: AsyncIterable<ReceivedMessage>;
  /** Resolves when the message was accepted, so that a slow server slows its senders. */
  send(message: string): Promise<void>;
  /** Ends the process. Idempotent, also after the process has ended. */
  close(): Promise<void>;
}

/** Starts another process of the server. */
export type OpenConnection = (signal: AbortSignal) => Promise<ServerConnection>;

/** A message, or the beginning of one that was too long. */
export type ReceivedMessage = string | OverlongMessage;

/** A message longer than `maxMessageBytes`. Later messages are received normally. */
export interface OverlongMessage {
  /** Its first 64 KiB. */
  readonly beginning: string;
}
