export const SESSION_TTL_MS = 2 * 60 * 60_000;
export interface SessionLife {
  readonly ttlMs: number;
  readonly keptByStreams: boolean;
}

export type SessionUse = 'message' | 'stream';

/**
 * Returns the expiry rule. Only messages count as use with the operator's TTL; without one, open streams do
 * too, because editors stay open overnight.
 */
export function sessionLifeOf({ sessionTtlMs }: { readonly sessionTtlMs?: number }): SessionLife {
  return { ttlMs: sessionTtlMs ?? SESSION_TTL_MS, keptByStreams: sessionTtlMs === undefined };
}
