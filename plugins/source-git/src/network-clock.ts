import { timedOut } from './errors.ts';

/** Counts the time that a sync spends with the server, and with nothing else. */
export class NetworkClock {
  readonly #mostMs: number;
  #spentMs = 0;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /**
   * Runs what asks the server with a signal that aborts as the given one does, and when the time is spent.
   * Then it throws ERR_SOURCE_GIT_TIMEOUT.
   */
  async count<Result>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const clock = new AbortController();
    const begun = performance.now();
    const timer = setTimeout(
      () => clock.abort(timedOut(this.#mostMs)),
      Math.max(0, this.#mostMs - this.#spentMs),
    );
    try {
      const both = AbortSignal.any([signal, clock.signal]);
      return await ask(both);
    } finally {
      clearTimeout(timer);
      this.#spentMs += performance.now() - begun;
    }
  }
}
