/**
 * Pending API requests of pages. Some continue after the page was sent, and must finish before the API
 * closes.
 */
export class OpenRequests {
  readonly #open = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Runs a request. Throws without running it after `close`. */
  async run<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) throw new Error('the pages are closed, and accept no requests');
    const request = ask();
    this.#open.add(request);
    try {
      return await request;
    } finally {
      this.#open.delete(request);
    }
  }

  /** Waits for the last request and refuses further ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#open);
  }
}
