/** Most ids that are texts of which it is remembered that a session has used them. */
const MAX_TEXTS = 1000;

/**
 * Which ids a session has used for requests. Of numbers only the highest is
 * remembered: clients count upwards, and one that does not is taken to have used all below.
 */
export class UsedIds {
  #highest = -1;
  readonly #texts = new Set<string>();

  /** Notes an id by its key; true where it was used before, or that is not known. */
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
