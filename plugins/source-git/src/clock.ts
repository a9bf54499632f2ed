import type { PortolanError } from '@portolan/plugin-api';

/** Measures the time of one task, and limits it. */
export class Clock {
  readonly #maxMs: number;
  readonly #fault: (maxMs: number) => PortolanError;
  #spentMs = 0;

  /** `fault` creates the error for a task that reaches its maximum time. */
  constructor(maxMs: number, fault: (maxMs: number) => PortolanError) {
    this.#maxMs = maxMs;
    this.#fault = fault;
  }

  /** Runs until the returned function is called. When the time is over, calls `end`. */
  start(end: (fault: PortolanError) => void): () => void {
    const startedAt = performance.now();
    const timer = setTimeout(() => end(this.#fault(this.#maxMs)), Math.max(0, this.#maxMs - this.#spentMs));
    return () => {
      clearTimeout(timer);
      this.#spentMs += performance.now() - startedAt;
    };
  }

  /**
   * Runs `act` with the clock running. The signal of `act` aborts when `signal` does or the time is over. In
   * the latter case, throws the clock's error.
   */
  async count<Result>(signal: AbortSignal, act: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const late = new AbortController();
    const stop = this.start((fault) => late.abort(fault));
    try {
      return await act(AbortSignal.any([signal, late.signal]));
    } finally {
      stop();
    }
  }
}
