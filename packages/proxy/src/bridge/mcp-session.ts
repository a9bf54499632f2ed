import type { NotificationMessage, RequestMessage, ResponseMessage } from '@portolan/mcp-protocol';
import type { SessionUse } from '../sessions/session-life.ts';
import type { TabledSession } from '../sessions/session-table.ts';
import type { Outlet } from './outlet.ts';
import type { Reply } from './reply.ts';

/** A session with a handshake, as a client sees it. Throws what the server's queue throws. */
export interface McpSession<Out extends Outlet = Outlet> extends TabledSession {
  readonly outlet: Out;
  /** Whom it belongs to, see `principalOf`. */
  readonly owner: string | undefined;
  /** As negotiated; empty before. */
  readonly revision: string;
  request(message: RequestMessage, reply: Reply): void;
  notify(message: NotificationMessage): void;
  /** Takes the answer to a request of the server. */
  respond(message: ResponseMessage): void;
}

export interface OpenRequest<Out extends Outlet> {
  readonly initialize: RequestMessage;
  readonly outlet: Out;
  readonly id: string;
  readonly owner: string | undefined;
  readonly reply: Reply;
  readonly isOurs: boolean;
}

/** What opens sessions: with a process each, or all with the same one. */
export interface SessionHost<Out extends Outlet = Outlet> {
  /**
   * Begins a session with its `initialize`. The reply carries the id when the
   * server agreed. `isOurs`: only to see whether the server is there; once the
   * session is ended, its process may serve a client. Throws ERR_SESSIONS_EXHAUSTED, ERR_SERVER_NOT_STARTED,
   * ERR_PROXY_CLOSING.
   */
  open(request: OpenRequest<Out>): Promise<void>;
  /** Returns the session and records the use; default `message`. */
  find(id: string, use?: SessionUse): McpSession<Out> | undefined;
  /** Whether there is such a session; it does not count as used. */
  has(id: string): boolean;
  /** Marks the end of something that kept the session busy. */
  touch(id: string, use?: SessionUse): void;
  readonly stats: HostStats;
  /** Why the server cannot be used, for the health; undefined when it can. */
  readonly fault: string | undefined;
  /** Ends all sessions and processes. */
  close(): Promise<void>;
}

export interface HostStats {
  readonly sessions: number;
  readonly processes: number;
  /** Requests that wait for a server's answer. */
  readonly waiting: number;
}
