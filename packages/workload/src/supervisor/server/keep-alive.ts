import { setTimeout as pass } from 'node:timers/promises';

/** Times in milliseconds. */
export interface RestartLimits {
  /** Before the first new attempt; it doubles with each failure after it. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** What lived this long was well. */
  readonly healthyAfterMs: number;
  /** So many failures within `failingWithinMs` mean that it will not get better by itself. */
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
  /** Rejected attempts end, and pauses too. */
  readonly signal: AbortSignal;
  /** Hears of an attempt that failed, after it was counted; whether there is to be another one. */
  readonly failed: (error: unknown) => boolean;
}

/**
 * How something of a workload (its server, a process of a session, its gateway)
 * is kept alive: it is started again with a growing delay, until it has failed
 * so often that it is given up. One for each thing that is kept alive.
 */
export class KeepAlive {
  readonly #limits: RestartLimits;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  #failures: number[] = [];
  #inARow = 0;

  /** `nowMs` is a monotonic clock. */
  constructor(
    limits: RestartLimits,
    random: () => number = Math.random,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#random = random;
  }

  /** It ended, or never came to be; `livedMs` is 0 then. */
  failed(livedMs: number): void {
    const now = this.#nowMs();
    this.#failures = this.#failures.filter((at) => now - at < this.#limits.failingWithinMs);
    this.#failures.push(now);
    this.#inARow = livedMs >= this.#limits.healthyAfterMs ? 1 : this.#inARow + 1;
  }

  /** It did what it is there for. */
  succeeded(): void {
    this.#inARow = 0;
    this.#failures = [];
  }

  /** Whether it has failed so often that it is to be given up. */
  get isFailing(): boolean {
    return this.#failures.length >= this.#limits.failuresToFail;
  }

  /** From half of the time to all of it, so that several workloads do not start at once. */
  get delayMs(): number {
    if (this.#inARow === 0) return 0;
    const { firstDelayMs, longestDelayMs } = this.#limits;
    return Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#inARow - 1)) * (0.5 + this.#random() / 2);
  }

  /** Waits until the next start is due. Rejects when the signal aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const { delayMs } = this;
    if (delayMs > 0) await pass(delayMs, undefined, { signal });
  }

  /** Tries, each time after a pause, until a start works; false when it is to be no more, or the signal aborts. */
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
