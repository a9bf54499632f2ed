import type { PortolanError } from '@portolan/plugin-api';

/** Counts the time that a sync spends with one thing, and with nothing else. */
export class Clock {
  readonly #mostMs: number;
  readonly #fault: (mostMs: number) => PortolanError;
  #spentMs = 0;

  /** `fault` is what is wrong when the time is spent. */
  constructor(mostMs: number, fault: (mostMs: number) => PortolanError) {
    this.#mostMs = mostMs;
    this.#fault = fault;
  }

  /** Counts until the answer is called. When the time is spent before, `end` is called with what is wrong. */
  start(end: (fault: PortolanError) => void): () => void {
    const begun = performance.now();
    const timer = setTimeout(() => end(this.#fault(this.#mostMs)), Math.max(0, this.#mostMs - this.#spentMs));
    return () => {
      clearTimeout(timer);
      this.#spentMs += performance.now() - begun;
    };
  }

  /**
   * Counts while something runs, with a signal that aborts as the given one does, and when the time is spent.
   * Then it throws what is wrong.
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
