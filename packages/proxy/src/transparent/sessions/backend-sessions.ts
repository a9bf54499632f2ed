import type { KeptSession } from '@portolan/plugin-api';

/** A request in a session. */
export interface EnteredSession {
  /** As negotiated; undefined while it is unknown. */
  readonly revision: string | undefined;
  /** Called when the request has its response. */
  leave(): void;
}

/**
 * The sessions that an HTTP server has issued. The server keeps them; the proxy knows their owners, and which
 * have expired.
 */
export interface BackendSessions {
  readonly size: number;
  /**
   * Records a request of a session. `closeStream` ends the stream that the request opens; undefined: the
   * request carries a message. Throws ERR_SESSION_UNKNOWN, also for another owner's session, and
   * ERR_SESSIONS_UNAVAILABLE.
   */
  enter(
    id: string,
    owner: string | undefined,
    closeStream?: () => void,
  ): EnteredSession | Promise<EnteredSession>;
  /**
   * Records an id that the server has issued. The client gets it when this is done. Throws
   * ERR_SESSIONS_UNAVAILABLE.
   */
  begun(id: string, session: Pick<KeptSession, 'path' | 'owner'>): undefined | Promise<void>;
  /** Records the negotiated revision. */
  agreed(id: string, revision: string): void;
  /** Records that the client has ended it, or that the server does not know it. */
  ended(id: string): void;
  close(): void;
}
