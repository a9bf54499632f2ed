import type { StdioSessions } from './choices.ts';
import type { RunConfig } from './run-config.ts';

const DEFAULT_MAX_SESSIONS: Readonly<Record<StdioSessions, number>> = { own: 16, shared: 1000 };

/** Maximum number of sessions. It detects a port or a time typed in its place. */
export const MAX_SESSIONS = 10_000;

export function isMostSessions(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 1 && count <= MAX_SESSIONS;
}

/**
 * Returns whether sessions share a server process. Stateless servers have no sessions and share one. A
 * published port also requires a shared process by default, because two processes cannot listen on it.
 */
export function stdioSessionsOf({ stdio_sessions: requested, publish, stateless }: RunConfig): StdioSessions {
  if (stateless) return 'shared';
  if (requested === 'own' || requested === 'shared') return requested;
  return publish.length > 0 ? 'shared' : 'own';
}

export function maxSessionsOf({ max_sessions: asked }: RunConfig, sessions: StdioSessions): number {
  return asked === 0 ? DEFAULT_MAX_SESSIONS[sessions] : asked;
}
