import type { Reply } from './reply.ts';

/** Message of a server to a session, not in response to a request. */
export interface SessionMessage {
  readonly text: string;
  readonly mayDrop: boolean;
  /** Key for deduplication: the queue keeps one message per key. */
  readonly sameAs?: string;
  /** Reply of the request that caused the message; undefined when unknown. */
  readonly reply?: Reply | undefined;
  sent?(): void;
  /** Called when the message is dropped. Without `why`, no stream to the client opened in time. */
  dropped?(why?: string): void;
}

/**
 * Judges a message to a session. Returns undefined when a policy refuses the message, after a call of the
 * message's `dropped`.
 */
export type JudgeSessionMessage = (message: SessionMessage) => SessionMessage | undefined;

export interface Outlet {
  readonly isOpen: boolean;
  /** Sends on exactly one stream, or queues until a stream opens. */
  deliver(message: SessionMessage, replies: readonly Reply[]): void;
  /** Records the negotiated revision. The outlet then uses stream features of that revision. */
  agree(revision: string): void;
  refused(): void;
  close(): void;
}
