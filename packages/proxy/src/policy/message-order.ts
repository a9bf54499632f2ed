/** Keeps messages on one stream in order behind a response that a policy still reads. */
export class MessageOrder {
  #last: Promise<void> | undefined;

  get isWaiting(): boolean {
    return this.#last !== undefined;
  }

  /** Passes messages on in the order of the calls. A promise must not reject. */
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
