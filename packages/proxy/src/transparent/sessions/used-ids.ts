const MAX_TEXTS = 1000;

/**
 * Request ids that a session has used. Of numbers, only the highest is stored, because clients count upwards.
 * Lower numbers count as used.
 */
export class UsedIds {
  #highest = -1;
  readonly #texts = new Set<string>();

  /** Records an id by its key. Returns true when it was used before, or may have been. */
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
