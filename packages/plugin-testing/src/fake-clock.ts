/** Clock that only moves when a test moves it. */
export class FakeClock {
  #now: number;

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    this.#now = new Date(start).getTime();
  }

  readonly clock = (): Date => new Date(this.#now);

  /** Monotonic milliseconds, for a `nowMs` option. */
  readonly nowMs = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }

  set(moment: Date | string): void {
    this.#now = new Date(moment).getTime();
  }
}
