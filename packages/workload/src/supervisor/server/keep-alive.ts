import { setTimeout as pass } from 'node:timers/promises';

/** Limits of restarts; times are in milliseconds. */
export interface RestartLimits {
  /** Delay before the first retry; it doubles after each failure. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /**
   * Minimum lifetime after which a failure no longer counts as consecutive, so that the delay starts again at
   * `firstDelayMs`.
   */
  readonly healthyAfterMs: number;
  readonly failuresToFail: number;
  readonly failingWithinMs: number;
}

export const RESTART_LIMITS: RestartLimits = {
  firstDelayMs: 1000,
  longestDelayMs: 30_000,
  healthyAfterMs: 60_000,
  failuresToFail: 5,
  failingWithinMs: 600_000,
};

export interface StartAgainOptions {
  readonly signal: AbortSignal;
  /** Called after each failed attempt; returns whether to retry. */
  readonly failed: (error: unknown) => boolean;
}

/** Restart policy with exponential back-off, for one server, session process or gateway. */
export class KeepAlive {
  readonly #limits: RestartLimits;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  #failures: number[] = [];
  #inARow = 0;

  constructor(
    limits: RestartLimits,
    random: () => number = Math.random,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#random = random;
  }

  /** Counts a failure of a process that ran for `livedMs` milliseconds; 0 when it did not start. */
  failed(livedMs: number): void {
    const now = this.#nowMs();
    this.#failures = this.#failures.filter((at) => now - at < this.#limits.failingWithinMs);
    this.#failures.push(now);
    this.#inARow = livedMs >= this.#limits.healthyAfterMs ? 1 : this.#inARow + 1;
  }

  succeeded(): void {
    this.#inARow = 0;
    this.#failures = [];
  }

  get isFailing(): boolean {
    return this.#failures.length >= this.#limits.failuresToFail;
  }

  /**
   * Delay before the next attempt in milliseconds, with up to half of it as jitter, so that several workloads
   * do not restart at the same moment.
   */
  get delayMs(): number {
    if (this.#inARow === 0) return 0;
    const { firstDelayMs, longestDelayMs } = this.#limits;
    return Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#inARow - 1)) * (0.5 + this.#random() / 2);
  }

  /** Waits until the next attempt is due. Rejects when the signal aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const { delayMs } = this;
    if (delayMs > 0) await pass(delayMs, undefined, { signal });
  }

  /**
   * Retries `start` with pauses until it succeeds. Returns false when `failed` stops the retries, or the
   * signal aborts.
   */
  async startAgain(start: () => Promise<void>, { signal, failed }: StartAgainOptions): Promise<boolean> {
    while (!signal.aborted) {
      try {
        await this.pause(signal);
        await start();
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        this.failed(0);
        if (!failed(error)) return false;
      }
    }
    return false;
  }
}
