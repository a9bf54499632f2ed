import type { Logger } from '@portolan/plugin-api';
import { type HealthLimits, HealthMonitor } from '../health/health-monitor.ts';

export interface WatchOptions {
  readonly limits: HealthLimits;
  /** Whether it has nothing to do for anybody. */
  readonly isIdle: () => boolean;
  /** Whether anything has come from it since this was called last. */
  readonly wasHeard: () => boolean;
  /** Asks it something; rejects when there is no answer in time. */
  readonly ask: () => Promise<void>;
  readonly givenUp: () => void;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Asks a process again and again whether it answers, while it has nothing to do:
 * one that has closed its output may run on for ever, and no engine says so. One
 * that has never answered is not judged: it may not know the question.
 */
export function watchProcess({ isIdle, wasHeard, ask, givenUp, ...options }: WatchOptions): HealthMonitor {
  let hasAnswered = false;
  const monitor: HealthMonitor = new HealthMonitor({
    ...options,
    ping: async () => {
      // Once it has failed to answer, whoever comes meanwhile need not wait for it.
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
