import { SESSION_TTL_MS } from '../proxy-limits.ts';
import type { ProxyOptions } from '../proxy-options.ts';

/** When a session ends by itself. */
export interface SessionLife {
  /** Time without use after which a session ends, in milliseconds. */
  readonly ttlMs: number;
  /** Whether a session is in use while a stream to its client is open. */
  readonly keptByStreams: boolean;
}

/** What uses a session: a message of the client, or a stream that it opens. */
export type SessionUse = 'message' | 'stream';

/**
 * Returns the life of sessions. A time that an operator chose counts messages only. Without one,
 * an open stream keeps its session: editors stay open overnight without a message.
 */
export function sessionLifeOf({ sessionTtlMs }: Pick<ProxyOptions, 'sessionTtlMs'>): SessionLife {
  return { ttlMs: sessionTtlMs ?? SESSION_TTL_MS, keptByStreams: sessionTtlMs === undefined };
}
