import type { KeptSession } from '@portolan/plugin-api';

/** A request on its way in a session. */
export interface EnteredSession {
  /** As negotiated; undefined while nobody has said. */
  readonly revision: string | undefined;
  /** The request has been answered. */
  leave(): void;
}

/**
 * The sessions that a server which speaks HTTP has given out. The server keeps
 * them; here is known whose they are, and which were left unused for too long.
 */
export interface BackendSessions {
  readonly size: number;
  /**
   * Notes a request of a session. `closeStream` ends the stream that the request opens; left
   * out, the request carries a message. Throws ERR_SESSION_UNKNOWN, also for a session
   * of somebody else, and ERR_SESSIONS_UNAVAILABLE.
   */
  enter(
    id: string,
    owner: string | undefined,
    closeStream?: () => void,
  ): EnteredSession | Promise<EnteredSession>;
  /** The server has given out an id. Clients hear of it when this is done. Throws ERR_SESSIONS_UNAVAILABLE. */
  begun(id: string, session: Pick<KeptSession, 'path' | 'owner'>): undefined | Promise<void>;
  /** Server and client have agreed on a revision. */
  agreed(id: string, revision: string): void;
  /** The client has ended it, or the server does not know it. */
  ended(id: string): void;
  close(): void;
}
