/** How long one turn of a page waits for requests that are no pages. */
const PATIENCE_MS = 5;

/**
 * Pages are made in short turns, and take one each time round the event loop:
 * when no other request is under way, or after five milliseconds. So whoever
 * asks the API waits for one such turn at most, however many pages are made.
 */
export class PageTurns {
  readonly #patienceMs: number;
  #others = 0;
  readonly #waiting: { readonly sinceMs: number; readonly goOn: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** A request has come, which is a page's or not. */
  requestBegan(): void {
    this.#others += 1;
  }

  requestEnded(): void {
    this.#others -= 1;
    if (this.#others === 0) this.#plan();
  }

  /** What has come is a page: nobody waits for it, until the function that is returned is called. */
  isPage(): () => void {
    this.requestEnded();
    return () => this.requestBegan();
  }

  /** Resolves when a page may go on. */
  async take(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.push({ sinceMs: performance.now(), goOn: () => resolve(undefined) });
    this.#plan();
    await promise;
  }

  #plan(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#immediate !== undefined) return;
    const leftMs = first.sinceMs + this.#patienceMs - performance.now();
    clearTimeout(this.#timer);
    if (this.#others === 0 || leftMs <= 0) this.#immediate = setImmediate(() => this.#next());
    else this.#timer = setTimeout(() => this.#plan(), leftMs);
  }

  #next(): void {
    this.#immediate = undefined;
    const [first] = this.#waiting;
    const isDue = first !== undefined && performance.now() - first.sinceMs >= this.#patienceMs;
    // Somebody may have come meanwhile.
    if (this.#others === 0 || isDue) this.#waiting.shift()?.goOn();
    this.#plan();
  }
}
