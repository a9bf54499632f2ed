import type { Logger } from '@portolan/plugin-api';
import { type Counts, createCounts } from '../../request/counts.ts';
import type { RestartPace } from '../../request/restart-pace.ts';
import { PROXY_LIMITS } from '../../request/proxy-limits.ts';
import type { LinkContext, LinkLimits } from '../link-options.ts';

/** Limits of the translation between protocol revisions, in milliseconds where they are times. */
export interface EraLimits extends LinkLimits {
  /**
   * Time for a probe in addition to the time that the first response to `initialize` took. A slower server
   * counts as Legacy (handshake required).
   */
  readonly probeMs: number;
  /** Maximum time for a new process to respond to its probe or handshake. */
  readonly startTimeoutMs: number;
  /** Maximum time for which a call waits for the client's responses. */
  readonly parkedMs: number;
  /** Maximum number of parked calls of one caller. One more cancels the oldest. */
  readonly maxParked: number;
  /** Maximum number of inner sessions with a Legacy server, for all callers. */
  readonly maxSessions: number;
  /** Maximum number of inner sessions of one caller with the same capabilities and revision. */
  readonly maxSessionsPerKey: number;
  /** Maximum number of calls that wait for an inner session. */
  readonly maxWaiting: number;
  /** Maximum time for which a call waits for an inner session. */
  readonly waitMs: number;
  /** Time for which calls must have been parked before the proxy may end them to serve another caller. */
  readonly makesRoomAfterMs: number;
  /** Idle time after which an inner session is closed. */
  readonly idleMs: number;
  /** Idle time after which an inner session that never carried a call is closed. */
  readonly unusedMs: number;
  /** Maximum number of rounds in which a Modern server requests input for one call. */
  readonly maxRounds: number;
  /** Maximum number of open subscriptions of clients to a Legacy server. */
  readonly maxSubscriptions: number;
}

export const ERA_LIMITS: EraLimits = {
  ...PROXY_LIMITS,
  parkedMs: 5 * 60_000,
  maxParked: 64,
  maxSessions: 16,
  maxSessionsPerKey: 4,
  maxWaiting: 256,
  waitMs: 60_000,
  idleMs: 10 * 60_000,
  unusedMs: 30_000,
  maxRounds: 10,
};

export interface EraOptions {
  /** Version of Portolan, for the proxy's own requests to the server. */
  readonly version: string;
  readonly limits?: Partial<EraLimits>;
  readonly counts?: Counts;
  /** Whether only one process may run, which all clients then share. Default: false. */
  readonly isShared?: boolean;
  /** Delays of processes after crashes. Default: none. */
  readonly restarts?: RestartPace | undefined;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}

/** Options with all defaults. */
export interface EraContext extends LinkContext {
  readonly limits: EraLimits;
  readonly version: string;
  readonly isShared: boolean;
  readonly restarts: RestartPace | undefined;
}

export function fillOptions(options: EraOptions): EraContext {
  const { version, limits, counts, logger, clock, nowMs, isShared = false, restarts } = options;
  return {
    version,
    isShared,
    restarts,
    limits: { ...ERA_LIMITS, ...limits },
    counts: counts ?? createCounts(),
    logger,
    clock,
    nowMs: nowMs ?? (() => performance.now()),
  };
}
