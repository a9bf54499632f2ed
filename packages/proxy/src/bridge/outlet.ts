import type { Reply } from './reply.ts';

/** Something a server says to a session, not to a single request. */
export interface SessionMessage {
  readonly text: string;
  /** Whether a client that reads too slowly may miss it. */
  readonly mayDrop: boolean;
  /** Of several queued messages with the same key, one is kept. */
  readonly sameAs?: string;
  /** The request it belongs to, when that is known. */
  readonly reply?: Reply | undefined;
  /** Called when it is on its way to the client. */
  sent?(): void;
  /** Called when it will never be; left out, no stream to the client was there in time. */
  dropped?(why?: string): void;
}

/** What is left of a message after it was judged; undefined for one that may not pass, which was told so. */
export type JudgeSessionMessage = (message: SessionMessage) => SessionMessage | undefined;

/** The way to the client of one session. */
export interface Outlet {
  /** Whether a stream to the client is open, requests apart. */
  readonly isOpen: boolean;
  /** Sends a message on exactly one stream, or keeps it until one opens. */
  deliver(message: SessionMessage, replies: readonly Reply[]): void;
  /** The session has its answer to `initialize`: what that revision can do may be used. */
  agree(revision: string): void;
  /** The server has refused `initialize`: the client may try again. */
  refused(): void;
  /** Ends all streams; queued messages are dropped. */
  close(): void;
}
