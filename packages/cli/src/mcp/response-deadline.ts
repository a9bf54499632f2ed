/**
 * A timeout that starts again with each message of the server. It pauses during a question to the user, because people need longer than a server's timeout.
 */
export class ResponseDeadline {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #late: () => Error;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;

  /** Starts the timeout. `late` creates the error with which the signal aborts. */
  constructor(milliseconds: number, late: () => Error) {
    this.#milliseconds = milliseconds;
    this.#late = late;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the timeout again after a message. */
  heard(): void {
    this.end();
    if (this.#asking > 0) return;
    this.#timer = setTimeout(() => this.#controller.abort(this.#late()), this.#milliseconds);
  }

  /** Pauses the timeout while a question to the user is open. */
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

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
