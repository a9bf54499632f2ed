/**
 * The order of one stream to a client: what comes after an answer that is still
 * judged waits for it. Where nothing waits, everything passes at once.
 */
export class AnswerLine {
  #last: Promise<void> | undefined;

  /** Whether something waits. */
  get isWaiting(): boolean {
    return this.#last !== undefined;
  }

  /** Passes on what was judged, in the order of the calls. A promise in it may not reject. */
  take<Judged>(judged: Judged | Promise<Judged>, pass: (judged: Judged) => void): void {
    if (this.#last === undefined && !(judged instanceof Promise)) {
      pass(judged);
      return;
    }
    const turn = this.#passLater(this.#last, judged, pass).finally(() => {
      if (this.#last === turn) this.#last = undefined;
    });
    this.#last = turn;
  }

  async #passLater<Judged>(
    before: Promise<void> | undefined,
    judged: Judged | Promise<Judged>,
    pass: (judged: Judged) => void,
  ): Promise<void> {
    const passing = await judged;
    await before;
    pass(passing);
  }
}
