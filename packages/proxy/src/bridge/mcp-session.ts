import type { NotificationMessage, RequestMessage, ResponseMessage } from '@portolan/mcp-protocol';
import type { SessionUse } from '../sessions/session-life.ts';
import type { TabledSession } from '../sessions/session-table.ts';
import type { Outlet } from './outlet.ts';
import type { Reply } from './reply.ts';

/**
 * Session of a protocol revision with a handshake. Its methods throw the errors of the queue to the server.
 */
export interface McpSession<Out extends Outlet = Outlet> extends TabledSession {
  readonly outlet: Out;
  /** Principal of the caller that opened the session, see `principalOf`. */
  readonly owner: string | undefined;
  /** Negotiated protocol revision. Empty before the handshake completes. */
  readonly revision: string;
  request(message: RequestMessage, reply: Reply): void;
  notify(message: NotificationMessage): void;
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

/** Opens sessions, either with one process each or all on the same process. */
export interface SessionHost<Out extends Outlet = Outlet> {
  /**
   * Opens a session with its `initialize` request. The reply carries the session id when the server accepts.
   * `isOurs` marks the supervisor's check of the server: after that session ends, its process may serve a
   * client. Throws ERR_SESSIONS_EXHAUSTED, ERR_SERVER_NOT_STARTED and ERR_PROXY_CLOSING.
   */
  open(request: OpenRequest<Out>): Promise<void>;
  /** Returns the session and records the use. `use` defaults to `message`. */
  find(id: string, use?: SessionUse): McpSession<Out> | undefined;
  /** Returns whether the session exists, without recording a use. */
  has(id: string): boolean;
  /** Records the end of an activity that kept the session busy. */
  touch(id: string, use?: SessionUse): void;
  readonly stats: HostStats;
  /** Reason that the health report gives while the server is unavailable; undefined while it is available. */
  readonly fault: string | undefined;
  close(): Promise<void>;
}

export interface HostStats {
  readonly sessions: number;
  readonly processes: number;
  /** Number of requests that wait for a response of the server. */
  readonly waiting: number;
}
