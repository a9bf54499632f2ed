import type { Logger } from '@portolan/plugin-api';
import { type McpHealth, writeTime } from './health-report.ts';

export interface HealthLimits {
  readonly intervalMs: number;
  readonly pingMs: number;
  readonly retryMs: number;
  /**
   * Number of consecutive failures before `givenUp` is called. It is called again after each further such
   * number.
   */
  readonly failures: number;
}

export const HEALTH_LIMITS: HealthLimits = { intervalMs: 10_000, pingMs: 5000, retryMs: 5000, failures: 5 };

export interface MonitorOptions {
  readonly limits: HealthLimits;
  readonly ping: (signal: AbortSignal) => Promise<void>;
  readonly givenUp: (reason: string) => void;
  readonly recovered: () => void;
  readonly clock: () => Date;
  readonly logger: Logger;
}

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

  start(): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#stop.signal.aborted) return;
    this.#later(this.#options.limits.intervalMs);
  }

  get isGivenUp(): boolean {
    return this.#failures >= this.#options.limits.failures;
  }

  get failures(): number {
    return this.#failures;
  }

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
