/** What is known of a session that a server which speaks HTTP has given out. */
export interface BackendSession {
  /** Where it was given out. */
  readonly path: string;
  /** Whom it belongs to, see `principalOf`. */
  readonly owner: string | undefined;
}

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
  /** A request of a session comes. Throws ERR_SESSION_UNKNOWN, also for a session of somebody else. */
  enter(id: string, owner: string | undefined): EnteredSession;
  /** The server has given out an id. */
  begun(id: string, session: BackendSession): void;
  /** Server and client have agreed on a revision. */
  agreed(id: string, revision: string): void;
  /** The client has ended it, or the server does not know it. */
  ended(id: string): void;
  close(): void;
}
