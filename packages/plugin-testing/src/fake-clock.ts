/** Clock that only moves when a test moves it. */
export class FakeClock {
  #now: number;

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    this.#now = new Date(start).getTime();
  }

  /** Clock function for the kernel and plugins. Each call returns a new Date. */
  readonly clock = (): Date => new Date(this.#now);

  /** Monotonic time in milliseconds, for a `nowMs` option. */
  readonly nowMs = (): number => this.#now;

  /** Moves the clock forward, or back for a negative number. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Sets the clock to a moment. */
  set(moment: Date | string): void {
    this.#now = new Date(moment).getTime();
  }
}
