export class ByteBudget {
  readonly #max: number;
  #used = 0;

  constructor(most: number) {
    this.#max = most;
  }

  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
