/** Maximum wait of a page for API requests, in milliseconds. */
const PATIENCE_MS = 5;

/**
 * Renders pages in short slices, one per event loop turn, when no other request is running or after five
 * milliseconds. An API request waits for at most one slice, whatever the number of pages.
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

  /** Counts a request as one of the API until `isPage` is called. */
  requestBegan(): void {
    this.#others += 1;
  }

  requestEnded(): void {
    this.#others -= 1;
    if (this.#others === 0) this.#plan();
  }

  /**
   * Marks the request as one for a page, so that no page waits for it any more. Returns the function that
   * ends it.
   */
  isPage(): () => void {
    this.requestEnded();
    return () => this.requestBegan();
  }

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
    // A request may have arrived meanwhile.
    if (this.#others === 0 || isDue) this.#waiting.shift()?.goOn();
    this.#plan();
  }
}
