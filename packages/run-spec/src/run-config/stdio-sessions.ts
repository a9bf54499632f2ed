import type { StdioSessions } from './choices.ts';
import type { RunConfig } from './run-config.ts';

/** Most sessions of a stdio server, unless its run config says otherwise. */
const DEFAULT_MAX_SESSIONS: Readonly<Record<StdioSessions, number>> = { own: 16, shared: 1000 };

/** More than any machine has room for, and no number of a mistyped port or time. */
export const MAX_SESSIONS = 10_000;

/** Whether so many sessions may be asked for. */
export function isMostSessions(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 1 && count <= MAX_SESSIONS;
}

/**
 * In which processes a stdio server has its sessions. One that keeps nothing has
 * none; and where nothing is said, two could not listen on one published port.
 */
export function stdioSessionsOf({ stdio_sessions: asked, publish, stateless }: RunConfig): StdioSessions {
  if (stateless) return 'shared';
  if (asked === 'own' || asked === 'shared') return asked;
  return publish.length > 0 ? 'shared' : 'own';
}

/** How many sessions a stdio server may have at once that has them in such processes. */
export function mostSessionsOf({ max_sessions: asked }: RunConfig, sessions: StdioSessions): number {
  return asked === 0 ? DEFAULT_MAX_SESSIONS[sessions] : asked;
}
