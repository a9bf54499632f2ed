const MAX_TEXTS = 1000;

/**
 * Used request ids. Stores only the highest number, because clients count upwards: lower ones count as used.
 */
export class UsedIds {
  #highest = -1;
  readonly #texts = new Set<string>();

  note(idKey: string): boolean {
    const number = /^n(\d{1,15})$/.exec(idKey)?.[1];
    if (number !== undefined) {
      const isUsed = Number(number) <= this.#highest;
      this.#highest = Math.max(this.#highest, Number(number));
      return isUsed;
    }
    if (this.#texts.has(idKey) || this.#texts.size >= MAX_TEXTS) return true;
    this.#texts.add(idKey);
    return false;
  }
}
