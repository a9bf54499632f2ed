import { SeededRandom } from '../../../../test/support/seeded-random.ts';

/** Holds responses until several are pending, then sends them in a seeded random order. */
export class DelayedResponses {
  readonly #together: number;
  readonly #random: SeededRandom;
  #held: (() => void)[] = [];
  /** Number of responses sent so far. */
  given = 0;

  constructor(together: number, seed: number) {
    this.#together = together;
    this.#random = new SeededRandom(seed);
  }

  hold(give: () => void): void {
    this.#held.push(give);
    if (this.#held.length < this.#together) return;
    const order = this.#held
      .map((held) => ({ held, at: this.#random.next() }))
      .toSorted((left, right) => left.at - right.at);
    this.#held = [];
    for (const { held } of order) {
      this.given += 1;
      held();
    }
  }
}
