/** Default session TTL in milliseconds: 2 hours. */
export const SESSION_TTL_MS = 2 * 60 * 60_000;
export interface SessionLife {
  /** Time without use after which a session ends, in milliseconds. */
  readonly ttlMs: number;
  /** Whether a session is in use while a stream to its client is open. */
  readonly keptByStreams: boolean;
}

/** Kind of use of a session: a message of the client, or a stream that the client opens. */
export type SessionUse = 'message' | 'stream';

/**
 * Returns the expiry rule of sessions. With a TTL from the operator, only messages count as use. Otherwise an
 * open stream keeps its session alive, because editors stay open overnight without a message.
 */
export function sessionLifeOf({ sessionTtlMs }: { readonly sessionTtlMs?: number }): SessionLife {
  return { ttlMs: sessionTtlMs ?? SESSION_TTL_MS, keptByStreams: sessionTtlMs === undefined };
}
