/** Delay of queued work, in milliseconds. */
const AFTER_MS = 5;
/** Maximum number of queued functions, so that other work waits at most a few milliseconds. */
const MAX_WAITING = 128;

/**
 * Queues work that no caller awaits, such as logging a completed call. Work executed together costs half as
 * much as the same work between the steps of other calls, and does not delay those calls.
 */
export class BatchedWork {
  readonly #failed: (error: unknown) => void;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `failed` is called with each error of a queued function. The other functions still run. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Queues work, which runs within 5 ms, in order. */
  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length >= MAX_WAITING) this.finish();
    else this.#timer ??= setTimeout(() => this.finish(), AFTER_MS);
  }

  /** Runs all queued work now. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const works = this.#waiting;
    this.#waiting = [];
    for (const work of works) {
      try {
        work();
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
