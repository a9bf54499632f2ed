import type { Logger } from '@portolan/plugin-api';
import { type HealthLimits, HealthMonitor } from '../health/health-monitor.ts';

export interface WatchOptions {
  readonly limits: HealthLimits;
  /** Returns whether the process has no request to work on. */
  readonly isIdle: () => boolean;
  /** Returns whether the process has sent anything since the last call. */
  readonly wasHeard: () => boolean;
  /** Sends a request. Rejects without a response in time. */
  readonly ask: () => Promise<void>;
  readonly givenUp: () => void;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Starts periodic health checks of an idle process. A process with a closed output may run forever, and
 * container engines do not report it. A process that has never responded to a check is exempt, because it may
 * not support the method.
 */
export function watchProcess({ isIdle, wasHeard, ask, givenUp, ...options }: WatchOptions): HealthMonitor {
  let hasAnswered = false;
  const monitor: HealthMonitor = new HealthMonitor({
    ...options,
    ping: async () => {
      // After a failed check, new requests do not postpone the next one.
      if (wasHeard() || (!isIdle() && monitor.failures === 0)) return;
      try {
        await ask();
        hasAnswered = true;
      } catch (error) {
        if (hasAnswered) throw error;
      }
    },
    givenUp,
    recovered: () => undefined,
  });
  monitor.start();
  return monitor;
}
