/** Maximum milliseconds per turn of the event loop for decisions about lists. */
const MAX_TURN_MS = 5;

/**
 * Divides the decisions about all lists of a workload among event loop turns, in rotation: many long lists at
 * once do not delay other requests more than one does.
 */
export class DecisionTurns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #startedMs: number | undefined;

  /** `nowMs` returns a monotonic time in milliseconds. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns the promise of the next turn; undefined while the current turn has time left. */
  next(): Promise<void> | undefined {
    if (this.#startedMs === undefined) this.#start();
    else if (this.#nowMs() - this.#startedMs >= MAX_TURN_MS) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      return promise;
    }
    return undefined;
  }

  #start(): void {
    this.#startedMs = this.#nowMs();
    setImmediate(() => {
      this.#startedMs = undefined;
      const resume = this.#waiting.shift();
      if (resume === undefined) return;
      this.#start();
      resume();
    });
  }
}
