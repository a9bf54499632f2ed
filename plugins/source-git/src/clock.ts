import type { PortolanError } from '@portolan/plugin-api';

/** Measures the time of one task only. */
export class Clock {
  readonly #maxMs: number;
  readonly #fault: (maxMs: number) => PortolanError;
  #spentMs = 0;

  /** `fault` creates the error when the time is over. */
  constructor(maxMs: number, fault: (maxMs: number) => PortolanError) {
    this.#maxMs = maxMs;
    this.#fault = fault;
  }

  /** Runs until the returned function is called. When the time is over, calls `end`. */
  start(end: (fault: PortolanError) => void): () => void {
    const begun = performance.now();
    const timer = setTimeout(() => end(this.#fault(this.#maxMs)), Math.max(0, this.#maxMs - this.#spentMs));
    return () => {
      clearTimeout(timer);
      this.#spentMs += performance.now() - begun;
    };
  }

  /**
   * Runs during `act`, whose signal aborts with the given one and when the time is over; then it throws the
   * error.
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
