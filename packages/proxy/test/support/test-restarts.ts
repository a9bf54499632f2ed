import { setTimeout as pass } from 'node:timers/promises';
import type { RestartPace } from '../../src/request/restart-pace.ts';

/**
 * Restart delays of a supervisor with the test's times. The delay doubles up to a maximum, without jitter.
 */
export class TestRestarts implements RestartPace {
  readonly #limits: { firstDelayMs: number; longestDelayMs: number; failures: number; withinMs: number };
  #failures: number[] = [];

  /** Creates delays from one second. By default, it gives up after five failures in ten minutes. */
  constructor(limits: Partial<TestRestarts['limits']> = {}) {
    this.#limits = {
      firstDelayMs: 1000,
      longestDelayMs: 30_000,
      failures: 5,
      withinMs: 600_000,
      ...limits,
    };
  }

  get limits(): { firstDelayMs: number; longestDelayMs: number; failures: number; withinMs: number } {
    return this.#limits;
  }

  failed(): void {
    const now = Date.now();
    this.#failures = this.#failures.filter((at) => now - at < this.#limits.withinMs);
    this.#failures.push(now);
  }

  succeeded(): void {
    this.#failures = [];
  }

  get isFailing(): boolean {
    return this.#failures.length >= this.#limits.failures;
  }

  get delayMs(): number {
    const { firstDelayMs, longestDelayMs } = this.#limits;
    const count = this.#failures.length;
    return count === 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (count - 1));
  }

  async pause(signal: AbortSignal): Promise<void> {
    if (this.delayMs > 0) await pass(this.delayMs, undefined, { signal });
  }
}
