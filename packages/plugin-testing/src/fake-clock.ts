/** A clock that stands still until a test moves it. */
export class FakeClock {
  #now: number;

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    this.#now = new Date(start).getTime();
  }

  /** What the kernel and plugins take as their clock; each call gives a new Date. */
  readonly clock = (): Date => new Date(this.#now);

  /** Monotonic time in milliseconds, for what takes a `nowMs`. */
  readonly nowMs = (): number => this.#now;

  /** Moves the clock forward, or back when the number is negative. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Puts the clock to a moment. */
  set(moment: Date | string): void {
    this.#now = new Date(moment).getTime();
  }
}
