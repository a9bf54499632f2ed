/** Consecutive failures after which calls fail at once. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Circuit breaker for the calls of one member. After 5 consecutive failures it is open for 1 s, doubling up to
 * 60 s; then it lets one call pass, which closes it or opens it again.
 */
export class CircuitBreaker {
  readonly #nowMs: () => number;
  #failures = 0;
  #pauseMs = 0;
  #openUntilMs = 0;
  #isTrying = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isOpen(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** Returns the milliseconds until the next call may pass; 0 when it may now. */
  get leftMs(): number {
    return this.isOpen ? Math.max(0, this.#openUntilMs - this.#nowMs()) : 0;
  }

  /** Admits a call: returns 0, or the milliseconds after which the caller may try again. */
  admit(): number {
    if (!this.isOpen) return 0;
    const leftMs = this.#openUntilMs - this.#nowMs();
    if (leftMs > 0) return leftMs;
    if (this.#isTrying) return FIRST_PAUSE_MS;
    this.#isTrying = true;
    return 0;
  }

  /** Records a call that the member responded to, also with an error. */
  succeeded(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
    this.#isTrying = false;
  }

  /**
   * Records a connection failure or a timeout. Calls that began before the breaker opened do not lengthen its
   * pause.
   */
  failed(): void {
    const isLate = this.isOpen && !this.#isTrying;
    this.#failures += 1;
    this.#isTrying = false;
    if (!this.isOpen || isLate) return;
    this.#pauseMs = this.#pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    this.#openUntilMs = this.#nowMs() + this.#pauseMs;
  }

  /** Records a call that ended without a result, such as a cancelled one. */
  abandoned(): void {
    this.#isTrying = false;
  }
}
