import type { KeptSession } from '@portolan/plugin-api';

export interface EnteredSession {
  /** Negotiated protocol revision. Undefined while unknown. */
  readonly revision: string | undefined;
  /** Called when the request has its response. */
  leave(): void;
}

/**
 * Registry of sessions that an HTTP server has issued. The server keeps their state; the proxy keeps their
 * owners and expiry.
 */
export interface BackendSessions {
  readonly size: number;
  /**
   * Adds a request to a session. `closeStream` ends the stream that the request opens; it is undefined for a
   * message. Throws ERR_SESSION_UNKNOWN, also for a session of another owner, and ERR_SESSIONS_UNAVAILABLE.
   */
  enter(
    id: string,
    owner: string | undefined,
    closeStream?: () => void,
  ): EnteredSession | Promise<EnteredSession>;
  /**
   * Records a session id from the server. The client gets the id when this completes. Throws
   * ERR_SESSIONS_UNAVAILABLE.
   */
  begun(id: string, session: Pick<KeptSession, 'path' | 'owner'>): undefined | Promise<void>;
  agreed(id: string, revision: string): void;
  /** Records that the client ended the session, or that the server does not know it. */
  ended(id: string): void;
  close(): void;
}
