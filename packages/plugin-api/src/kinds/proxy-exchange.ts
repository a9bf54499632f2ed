import type { Identity } from '../claims.ts';

/** An HTTP request of a client, before its body is parsed. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** Request headers. They contain credentials, so never log all of them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly remoteAddress: string;
  /** Undefined when the connection is already closed. */
  readonly remotePort?: number | undefined;
  /** HTTP version, such as `1.1`. */
  readonly httpVersion?: string;
  readonly receivedAt: Date;
  /** The identified caller. Undefined before authentication, and when none is required. */
  readonly caller: Identity | undefined;
  /**
   * Client program, as the client reports it in this request or at the start of the session. Unverified, so
   * for logs only. Undefined before the body is read.
   */
  readonly program: ClientProgram | undefined;
}

/** Name and version that a client reports about itself, truncated to 256 characters each. */
export interface ClientProgram {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** MCP revision that the client requests. */
  readonly revision: string | undefined;
}

/** Context of a message. */
export interface ClientExchange {
  /**
   * Request of the message. For messages that the server initiates, the request that opened the session or
   * its stream.
   */
  readonly request: ClientRequest;
  readonly caller: Identity | undefined;
  /**
   * Protocol revisions that apply: `legacy` has a handshake, `modern` (2026-07-28 and later) has none.
   * Undefined when unknown.
   */
  readonly era: 'legacy' | 'modern' | undefined;
  readonly sessionId: string | undefined;
  readonly isBatch: boolean;
  /** The client's message as the server receives it. Undefined for messages that the server initiates. */
  readonly message: ClientMessage | undefined;
}

/** A parsed message, frozen, with exactly the content of `text`. */
export type ClientMessage = RequestView | NotificationView | ResponseView;
export type ServerMessage = RequestView | NotificationView | ResponseView;

type Members = Readonly<Record<string, unknown>>;

export interface RequestView {
  readonly kind: 'request';
  readonly text: string;
  /** Id as JSON text: `1` for a number, `"1"` for a string. */
  readonly id: string;
  readonly method: string;
  readonly params: Members | undefined;
}

export interface NotificationView {
  readonly kind: 'notification';
  readonly text: string;
  readonly method: string;
  readonly params: Members | undefined;
}

export interface ResponseView {
  readonly kind: 'response';
  readonly text: string;
  /** Id of the request to which this responds, as JSON text. */
  readonly id: string;
  /** Result of the request. Undefined for an error. */
  readonly result: unknown;
  readonly error: Members | undefined;
}
