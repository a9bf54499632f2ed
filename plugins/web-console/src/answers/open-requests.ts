/** What the pages ask the API: lists are read on after their page was answered, and the API ends after the pages. */
export class OpenRequests {
  readonly #open = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Passes on what `ask` answers; throws without asking once it is closed. */
  async run<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) throw new Error('the pages are closed, and ask nothing any more');
    const asked = ask();
    this.#open.add(asked);
    try {
      return await asked;
    } finally {
      this.#open.delete(asked);
    }
  }

  /** Resolves when the last request has its answer; there are none after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#open);
  }
}
