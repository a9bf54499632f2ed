/**
 * What was made of statements, by their text, as long as all texts together stay
 * within a limit; what was not used for longest gives way. A limit of characters,
 * because that is what a prepared statement costs: a sync has many hundred that
 * differ in the number of their rows, each with a program as long as its text,
 * and with all values that it was run with last.
 */
export class KeptStatements<Prepared> {
  readonly #mostCharacters: number;
  readonly #kept = new Map<string, Prepared>();
  #characters = 0;

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  /** What `prepare` has made of a text, this time or before. */
  of(text: string, prepare: () => Prepared): Prepared {
    const known = this.#kept.get(text);
    if (known !== undefined) {
      // To the end: the first one is the one that was not used for longest.
      this.#kept.delete(text);
      this.#kept.set(text, known);
      return known;
    }
    const prepared = prepare();
    this.#kept.set(text, prepared);
    this.#characters += text.length;
    this.#dropOldest();
    return prepared;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }

  #dropOldest(): void {
    for (const text of this.#kept.keys()) {
      if (this.#characters <= this.#mostCharacters) return;
      this.#kept.delete(text);
      this.#characters -= text.length;
    }
  }
}
