import type { Identity } from '../claims.ts';

/** An HTTP request of a client, before anything was made of its body. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  /** Names in small letters. They hold credentials: never write them down whole. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly remoteAddress: string;
  /** Undefined where the connection is gone already. */
  readonly remotePort?: number | undefined;
  /** Of HTTP: `1.1`. */
  readonly httpVersion?: string;
  readonly receivedAt: Date;
  /** Who asks; undefined before that was looked at, and where nobody has to say. */
  readonly caller: Identity | undefined;
  /**
   * What the program of the client calls itself: in this request, else when it opened the session. For logs
   * alone, since anybody can say anything; undefined where it has said nothing, and before the body was read.
   */
  readonly program: ClientProgram | undefined;
}

/** The program that a client is; texts are cut at 256 characters. */
export interface ClientProgram {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Revision of MCP that it has asked for. */
  readonly revision: string | undefined;
}

/** In which surroundings a message is said. */
export interface ClientExchange {
  /** That of the message; for what a server says of its own accord, the one that opened the session or its stream. */
  readonly request: ClientRequest;
  readonly caller: Identity | undefined;
  /** By which rules the message is served; undefined where nothing says. */
  readonly era: 'legacy' | 'modern' | undefined;
  /** Undefined where there is none, or none yet. */
  readonly sessionId: string | undefined;
  readonly isBatch: boolean;
  /** What the client said, as the server gets it; undefined for what a server says of its own accord. */
  readonly message: ClientMessage | undefined;
}

/**
 * A message as it was understood. What stands in it is frozen, and is exactly
 * what `text` says: changes are asked for by a verdict.
 */
export type ClientMessage = RequestView | NotificationView | ResponseView;
export type ServerMessage = RequestView | NotificationView | ResponseView;

type Members = Readonly<Record<string, unknown>>;

export interface RequestView {
  readonly kind: 'request';
  readonly text: string;
  /** JSON, as it was written: `1`, `"1"`. */
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
  /** As that of a request: it is the one that is answered. */
  readonly id: string;
  /** Undefined for an error. */
  readonly result: unknown;
  readonly error: Members | undefined;
}
