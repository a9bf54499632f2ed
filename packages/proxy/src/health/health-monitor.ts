import type { Logger } from '@portolan/plugin-api';
import { type McpHealth, writeTime } from './health-report.ts';

/** Times in milliseconds. */
export interface HealthLimits {
  readonly intervalMs: number;
  readonly pingMs: number;
  readonly retryMs: number;
  /** After so many failures in a row the server is given up, and after as many again once more. */
  readonly failures: number;
}

export const HEALTH_LIMITS: HealthLimits = { intervalMs: 10_000, pingMs: 5000, retryMs: 5000, failures: 5 };

export interface MonitorOptions {
  readonly limits: HealthLimits;
  /** Rejects when the server is not there. */
  readonly ping: (signal: AbortSignal) => Promise<void>;
  /** Called once for each time that the server is given up. */
  readonly givenUp: (reason: string) => void;
  /** Called when a server that was given up is there again. */
  readonly recovered: () => void;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** Asks a server again and again whether it is there, once it was. */
export class HealthMonitor {
  readonly #options: MonitorOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;
  #last: McpHealth | undefined;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Begins; a second call changes nothing. */
  start(): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#stop.signal.aborted) return;
    this.#later(this.#options.limits.intervalMs);
  }

  /** Whether the server is given up. */
  get isGivenUp(): boolean {
    return this.#failures >= this.#options.limits.failures;
  }

  get failures(): number {
    return this.#failures;
  }

  /** What the last check found; undefined before the first. */
  get last(): McpHealth | undefined {
    return this.#last;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#check();
    }, ms);
  }

  async #check(): Promise<void> {
    const { limits, ping, clock, logger, givenUp } = this.#options;
    const started = performance.now();
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limits.pingMs)]);
    try {
      await ping(signal);
      const wasGivenUp = this.isGivenUp;
      this.#failures = 0;
      this.#last = {
        available: true,
        response_time_ms: Math.round(performance.now() - started),
        last_checked: writeTime(clock()),
      };
      if (wasGivenUp) this.#options.recovered();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      this.#last = { available: false, last_checked: writeTime(clock()), error: reason };
      logger.warn({ err: error, failures: this.#failures }, 'health check failed');
      if (this.#failures % limits.failures === 0) givenUp('Health check failed');
    }
    if (!this.#stop.signal.aborted) this.#later(this.#failures === 0 ? limits.intervalMs : limits.retryMs);
  }
}
