import type { StoredSession } from '@portolan/plugin-api';

export interface EnteredSession {
  readonly revision: string | undefined;
  leave(): void;
}

/** Sessions that an HTTP server has issued, with their owners and expiry. */
export interface BackendSessions {
  readonly size: number;
  /**
   * Checks the owner of a session, and records a request that uses it. `closeStream` ends the stream that the
   * request opens. Throws ERR_SESSION_UNKNOWN, also for a session of another owner, and
   * ERR_SESSIONS_UNAVAILABLE.
   */
  enter(
    id: string,
    owner: string | undefined,
    closeStream?: () => void,
  ): EnteredSession | Promise<EnteredSession>;
  /**
   * Records a new session. The client gets the session id only after this completes. Throws
   * ERR_SESSIONS_UNAVAILABLE.
   */
  begun(id: string, session: Pick<StoredSession, 'path' | 'owner'>): undefined | Promise<void>;
  agreed(id: string, revision: string): void;
  ended(id: string): void;
  close(): void;
}
