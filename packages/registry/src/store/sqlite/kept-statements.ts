/**
 * Caches prepared statements by their text, up to a total number of characters, and evicts the least recently
 * used. The limit counts characters because memory grows with the text: a sync has hundreds of statements
 * that differ only in the number of rows, each with a program as long as its text and its last values.
 */
export class KeptStatements<Prepared> {
  readonly #mostCharacters: number;
  readonly #kept = new Map<string, Prepared>();
  #characters = 0;

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  /** Returns the cached result of `prepare` for a text, or calls it. */
  of(text: string, prepare: () => Prepared): Prepared {
    const known = this.#kept.get(text);
    if (known !== undefined) {
      // Moves it to the end, since the first statement is the least recently used.
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
