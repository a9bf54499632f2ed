import type { Identity } from '../claims.ts';

/** An HTTP request of a client, before its body is parsed. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** They contain credentials: never log them in full. */
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
   * Self-declared, from this request or the start of the session. For logs only, since it is unverified.
   * Undefined before the body is read.
   */
  readonly program: ClientProgram | undefined;
}

/** Texts are truncated to 256 characters. */
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
  /** Protocol revisions that apply. Undefined when unknown. */
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
  /** JSON text as written: `1`, `"1"`. */
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
  /** JSON text of the request's id. */
  readonly id: string;
  /** Undefined for an error. */
  readonly result: unknown;
  readonly error: Members | undefined;
}
