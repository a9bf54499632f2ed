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
 * Starts health checks of an idle process, because no container engine reports a process with a closed
 * output. A process that has never responded to one is exempt: it may not support the method.
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
