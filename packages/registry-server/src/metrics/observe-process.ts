import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import process from 'node:process';

/** Times in seconds, memory in bytes. */
export interface ProcessFigures {
  readonly cpu: { readonly user: number; readonly system: number };
  readonly residentBytes: number;
  readonly uptime: number;
  readonly loopTime: { readonly active: number; readonly idle: number };
  /** Timer delays since the last read; undefined on the first. */
  readonly loopDelay:
    | { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number }
    | undefined;
}

const RESOLUTION_MS = 10;
const NS = 1e9;

/**
 * Measures the process. Timer delays are measured only from the first read on, because they cost a hundred
 * timer events per second.
 */
export class ProcessObserver {
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

  read(): ProcessFigures {
    const { user, system } = process.cpuUsage();
    const { active, idle } = performance.eventLoopUtilization();
    return {
      cpu: { user: user / 1e6, system: system / 1e6 },
      residentBytes: process.memoryUsage.rss(),
      uptime: process.uptime(),
      loopTime: { active: active / 1000, idle: idle / 1000 },
      loopDelay: this.#readDelays(),
    };
  }

  close(): void {
    this.#delays?.disable();
    this.#delays = undefined;
  }

  #readDelays(): ProcessFigures['loopDelay'] {
    const delays = this.#delays;
    if (delays === undefined) {
      this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delays.enable();
      return undefined;
    }
    if (delays.count === 0) return undefined;
    const figures = {
      mean: lateness(delays.mean),
      p50: lateness(delays.percentile(50)),
      p99: lateness(delays.percentile(99)),
      max: lateness(delays.max),
    };
    delays.reset();
    return figures;
  }
}

/** Subtracts the timer's interval from Node's time between two events. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NS - RESOLUTION_MS / 1000);
}
