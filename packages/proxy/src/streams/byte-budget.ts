/** Shared limit on the bytes that several owners buffer. */
export class ByteBudget {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reserves bytes until they are released. Returns false when they would exceed the limit. */
  tryTake(bytes: number): boolean {
    if (this.#held + bytes > this.#most) return false;
    this.#held += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}
