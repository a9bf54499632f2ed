import type { StdioSessions } from './choices.ts';
import type { RunConfig } from './run-config.ts';

/** Default maximum number of sessions of a stdio server. */
const DEFAULT_MAX_SESSIONS: Readonly<Record<StdioSessions, number>> = { own: 16, shared: 1000 };

/** Upper bound of the maximum, above any machine's capacity, which detects a mistyped port or time. */
export const MAX_SESSIONS = 10_000;

/** Returns whether a maximum number of sessions is valid. */
export function isMostSessions(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 1 && count <= MAX_SESSIONS;
}

/**
 * Returns whether sessions of a stdio server have their own processes. A stateless server has no sessions,
 * and by default a published port requires a shared process, because two cannot listen on it.
 */
export function stdioSessionsOf({ stdio_sessions: asked, publish, stateless }: RunConfig): StdioSessions {
  if (stateless) return 'shared';
  if (asked === 'own' || asked === 'shared') return asked;
  return publish.length > 0 ? 'shared' : 'own';
}

/** Returns the maximum number of concurrent sessions of a stdio server. */
export function maxSessionsOf({ max_sessions: asked }: RunConfig, sessions: StdioSessions): number {
  return asked === 0 ? DEFAULT_MAX_SESSIONS[sessions] : asked;
}
