/**
 * Aborts when nobody has said anything for a time. It does not run while a
 * person is asked: nobody is to be hurried by a server's patience.
 */
export class AnswerDeadline {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #late: () => Error;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;

  /** Runs from now on. `late` makes the reason of the abort. */
  constructor(milliseconds: number, late: () => Error) {
    this.#milliseconds = milliseconds;
    this.#late = late;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was said: the time begins anew. */
  heard(): void {
    this.end();
    if (this.#asking > 0) return;
    this.#timer = setTimeout(() => this.#controller.abort(this.#late()), this.#milliseconds);
  }

  /** Runs what may take as long as a person takes. */
  async during<Result>(asking: () => Promise<Result>): Promise<Result> {
    this.#asking += 1;
    this.end();
    try {
      return await asking();
    } finally {
      this.#asking -= 1;
      this.heard();
    }
  }

  /** Stops the clock. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
