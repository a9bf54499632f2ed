import type { Reply } from './reply.ts';

/** Message of a server to a session rather than in response to one request. */
export interface SessionMessage {
  readonly text: string;
  /** Whether the proxy may drop the message when the client reads too slowly. */
  readonly mayDrop: boolean;
  /** Key for deduplication: the queue keeps one message per key. */
  readonly sameAs?: string;
  /** Reply of the request that caused the message. Undefined when the proxy cannot tell. */
  readonly reply?: Reply | undefined;
  /** Called when the message is written to a stream of the client. */
  sent?(): void;
  /** Called when the message is dropped. Without `why`, no stream to the client was available in time. */
  dropped?(why?: string): void;
}

/**
 * Returns the message after the policies have read it. Returns undefined when a policy refuses it, after
 * calling its `dropped`.
 */
export type JudgeSessionMessage = (message: SessionMessage) => SessionMessage | undefined;

/** Streams to the client of one session. */
export interface Outlet {
  readonly isOpen: boolean;
  /** Sends a message on exactly one stream, or queues it until a stream opens. */
  deliver(message: SessionMessage, replies: readonly Reply[]): void;
  /** Records the protocol revision that `initialize` negotiated, whose features may be used from then on. */
  agree(revision: string): void;
  /** Records that the server refused `initialize`, so that the client may try again. */
  refused(): void;
  close(): void;
}
