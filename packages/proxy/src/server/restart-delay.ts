/** Times in milliseconds. */
export interface RestartLimits {
  /** Before the first new attempt; it doubles with each failure after it. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A process that lived this long was well. */
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

/** How long to wait before a server is started again. */
export class RestartDelay {
  readonly #limits: RestartLimits;
  readonly #clock: () => Date;
  readonly #random: () => number;
  #failures: number[] = [];
  #inARow = 0;

  constructor(limits: RestartLimits, clock: () => Date, random: () => number) {
    this.#limits = limits;
    this.#clock = clock;
    this.#random = random;
  }

  /** A process ended, or never came to be; `livedMs` is 0 then. */
  failed(livedMs: number): void {
    const now = this.#clock().getTime();
    this.#failures = this.#failures.filter((at) => now - at < this.#limits.failingWithinMs);
    this.#failures.push(now);
    this.#inARow = livedMs >= this.#limits.healthyAfterMs ? 1 : this.#inARow + 1;
  }

  /** A process did what it is there for. */
  succeeded(): void {
    this.#inARow = 0;
    this.#failures = [];
  }

  get isFailing(): boolean {
    return this.#failures.length >= this.#limits.failuresToFail;
  }

  /** From half of the time to all of it, so that several workloads do not start at once. */
  get delayMs(): number {
    if (this.#inARow === 0) return 0;
    const { firstDelayMs, longestDelayMs } = this.#limits;
    return Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#inARow - 1)) * (0.5 + this.#random() / 2);
  }
}
