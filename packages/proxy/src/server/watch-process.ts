import type { Logger } from '@portolan/plugin-api';
import { type HealthLimits, HealthMonitor } from '../health/health-monitor.ts';

export interface WatchOptions {
  readonly limits: HealthLimits;
  readonly isIdle: () => boolean;
  readonly wasHeard: () => boolean;
  readonly ask: () => Promise<void>;
  readonly givenUp: () => void;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Checks an idle process with requests, because no container engine reports a process that has closed its
 * output. A process that has never responded is exempt: it may not support the method.
 */
export function watchProcess({ isIdle, wasHeard, ask, givenUp, ...options }: WatchOptions): HealthMonitor {
  let hasAnswered = false;
  const monitor: HealthMonitor = new HealthMonitor({
    ...options,
    ping: async () => {
      // New requests do not postpone the check after a failed one.
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
