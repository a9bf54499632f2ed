import type { NotificationMessage, RequestMessage, ResponseMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { SessionUse } from '../sessions/session-life.ts';
import type { TabledSession } from '../sessions/session-table.ts';
import type { Outlet } from './outlet.ts';
import type { Reply } from './reply.ts';

/**
 * Session of a client with a handshake. Its methods throw ERR_SERVER_BUSY when the queue to the server is
 * full.
 */
export interface McpSession<Out extends Outlet = Outlet> extends TabledSession {
  readonly outlet: Out;
  /** Principal that opened the session, see `principalOf`. */
  readonly owner: string | undefined;
  /** Protocol revision; empty before the handshake completes. */
  readonly revision: string;
  request(message: RequestMessage, reply: Reply, sender?: MessageSender): void;
  notify(message: NotificationMessage, sender?: MessageSender): void;
  respond(message: ResponseMessage, sender?: MessageSender): void;
}

export interface OpenRequest<Out extends Outlet> {
  readonly initialize: RequestMessage;
  readonly outlet: Out;
  readonly id: string;
  readonly owner: string | undefined;
  readonly reply: Reply;
  readonly isOurs: boolean;
  readonly sender?: MessageSender;
}

/** Opens sessions, with one process each or all on the same process. */
export interface SessionHost<Out extends Outlet = Outlet> {
  /**
   * Opens a session with the client's `initialize` request. `isOurs` marks the supervisor's health check,
   * after which a client may get the same process. Throws ERR_SESSIONS_EXHAUSTED, ERR_SERVER_NOT_STARTED and
   * ERR_PROXY_CLOSING.
   */
  open(request: OpenRequest<Out>): Promise<void>;
  /** Returns the session and records the use, by default a `message`. */
  find(id: string, use?: SessionUse): McpSession<Out> | undefined;
  /** Returns whether the session exists, without recording a use. */
  has(id: string): boolean;
  touch(id: string, use?: SessionUse): void;
  /** Notifies all sessions that all lists may have changed. */
  announceListChanges(): void;
  readonly stats: HostStats;
  /** Reason for the health report; undefined while the server is available. */
  readonly fault: string | undefined;
  close(): Promise<void>;
}

export interface HostStats {
  readonly sessions: number;
  readonly processes: number;
  readonly waiting: number;
}
