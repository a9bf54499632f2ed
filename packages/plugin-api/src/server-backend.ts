import type { Agent } from 'node:http';

/** How the one MCP server of a workload is reached; whoever runs the server says it, the proxy stands in front of it. */
export type ServerBackend = MessageBackend | HttpBackend;

/** A server that is spoken to by messages: the proxy speaks HTTP in its place. */
export interface MessageBackend {
  readonly carries: 'messages';
  readonly openConnection: OpenConnection;
  /** How clients are served; `sse` is deprecated. */
  readonly mode: 'streamable-http' | 'sse';
  /** `own`: a process for each session. `shared`: one for all, for servers that hold something exclusive. */
  readonly sessions: 'own' | 'shared';
}

/** A server that speaks HTTP itself. */
export interface HttpBackend {
  readonly carries: 'http';
  readonly transport: 'streamable-http' | 'sse';
  /** Address of the server. Only the origin of a server that is run for the workload counts; of a remote also path and query. */
  readonly target: URL;
  /**
   * Path and query of the endpoint of a server that is run for the workload, such as
   * `/tools/mcp`. Left out: `/mcp`, with the transport `sse` `/sse`.
   */
  readonly endpoint?: string;
  /** Whether the path of a remote holds a secret: clients get `/mcp` or `/sse` instead, and no message shows it. Left out: no. */
  readonly hidesPath?: boolean;
  readonly isRemote: boolean;
  /** Sent with every request; names and values are checked before the first. */
  readonly forwardHeaders?: readonly ForwardedHeader[];
  /** Proves to it who is asking; left out: nothing is added. */
  readonly credentials?: OutgoingCredentials;
  /**
   * What to do when the server refuses `credentials` and `forwardHeaders`, as a sentence that its clients read: "Log in
   * again: portolan login NAME". Left out: they are told to ask the person who runs the workload.
   */
  readonly renewal?: string;
  /** Makes the connections, over a Unix socket or with other certificates; left out: as Node does. Closed with the proxy. */
  readonly agent?: Agent;
  /** Whether it is asked again and again if it is there; left out: unless it is a remote. */
  readonly checksHealth?: boolean;
}

/** Proves to a server, request by request, who is asking it. */
export interface OutgoingCredentials {
  /**
   * Headers for one request, which take the place of those of the client and of
   * `forwardHeaders`. What it throws is the answer of the client, as what proxy
   * middleware throws. `signal` aborts when the client has left.
   */
  credentials(
    outgoing: OutgoingRequest,
    signal: AbortSignal,
  ): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]>;
  /**
   * Told once for each request that the server has refused with these headers.
   * True: others prove more now, and the request is sent once more. False, or
   * left out: the client gets the answer, without what the server has said of
   * how to prove itself.
   */
  refused?(sent: readonly ForwardedHeader[], refusal: CredentialsRefusal): Promise<boolean>;
  /** Closes what it opened; safe to call twice. Never rejects. */
  close?(): Promise<void>;
}

/** How a server has refused a request. */
export interface CredentialsRefusal {
  /** 401: it does not believe who asks. 403, of those that say what is lacking: whoever asks may not. */
  readonly status: 401 | 403;
  /** `WWW-Authenticate`, as it came; undefined where it said nothing. */
  readonly challenge: string | undefined;
}

/** A request as it is about to leave. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in small letters, those of the client that go on included. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** SHA-256 of exactly the bytes that are sent, in hex; that of nothing where there is no body. */
  readonly bodyHash: () => Promise<string>;
}

/** A header that is sent to a server with every request. */
export interface ForwardedHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * A connection to one process of a server. Messages are texts of one JSON
 * document each; nothing in them is trusted.
 */
export interface ServerConnection {
  /** Ends, or throws, when the process ended. Read by one reader only. */
  readonly received: AsyncIterable<ReceivedMessage>;
  /** Settles when the message was taken, so that a server that reads slowly slows its senders. */
  send(message: string): Promise<void>;
  /** Ends the process for certain. Safe to call twice, and after the process has ended. */
  close(): Promise<void>;
}

/** Starts another process of the server. */
export type OpenConnection = (signal: AbortSignal) => Promise<ServerConnection>;

/** A message, or what is known of one that was too long to be kept. */
export type ReceivedMessage = string | OverlongMessage;

/** A message that is longer than `maxMessageBytes`. What follows it is received as ever. */
export interface OverlongMessage {
  /** Its first 64 KiB. */
  readonly beginning: string;
}
