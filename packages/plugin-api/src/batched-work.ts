/** Work of this time is done together. */
const AFTER_MS = 5;
/** So much is done at once, so that whoever comes meanwhile waits for some milliseconds at most. */
const MAX_WAITING = 128;

/**
 * Work that nobody waits for, such as writing down a call that is over: done together, some milliseconds later.
 * A hundred times in a row it costs half of what it costs between the steps of other calls, and those are not held up.
 */
export class BatchedWork {
  readonly #failed: (error: unknown) => void;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** What work throws is told, and stops none of the others. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Does it after 5 ms at the latest; everything in the order in which it came. */
  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length >= MAX_WAITING) this.finish();
    else this.#timer ??= setTimeout(() => this.finish(), AFTER_MS);
  }

  /** Does what waits now: before it is closed, or somebody looks at what comes of it. */
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
