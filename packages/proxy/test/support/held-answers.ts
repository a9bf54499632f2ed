/** Answers that wait for each other and are then given in an order that a seed decides. */
export class HeldAnswers {
  readonly #together: number;
  readonly #random: () => number;
  #held: (() => void)[] = [];
  /** How many were given so far. */
  given = 0;

  constructor(together: number, seed: number) {
    this.#together = together;
    this.#random = randomOf(seed);
  }

  hold(give: () => void): void {
    this.#held.push(give);
    if (this.#held.length < this.#together) return;
    const order = this.#held
      .map((held) => ({ held, at: this.#random() }))
      .toSorted((left, right) => left.at - right.at);
    this.#held = [];
    for (const { held } of order) {
      this.given += 1;
      held();
    }
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
