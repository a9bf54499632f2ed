/** Maximum number of text ids that are remembered for a session. */
const MAX_TEXTS = 1000;

/**
 * The ids that a session has used for requests. For numbers only the highest is remembered: clients count
 * upwards, and one that does not is assumed to have used all below.
 */
export class UsedIds {
  #highest = -1;
  readonly #texts = new Set<string>();

  /** Records an id by its key; returns true when it was used before, or that is unknown. */
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
