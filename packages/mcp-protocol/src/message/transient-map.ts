interface Held<Value> {
  value: Value | undefined;
}

/**
 * A map of what comes and goes with requests; its values are never undefined. V8 makes the table of a `Map` anew once
 * as many entries as it holds were deleted, and the old table, which refers to the new one, keeps what was in it: each
 * request would live until the next whole collection. So a table holds boxes here, which are emptied.
 */
export class TransientMap<Key, Value> {
  readonly #held = new Map<Key, Held<Value>>();

  get size(): number {
    return this.#held.size;
  }

  has(key: Key): boolean {
    return this.#held.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#held.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, { value });
    else held.value = value;
  }

  /** What stood there, and no longer does. */
  take(key: Key): Value | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    const { value } = held;
    this.#held.delete(key);
    held.value = undefined;
    return value;
  }

  delete(key: Key): void {
    this.take(key);
  }

  /** Key of what has stood there for longest. */
  oldest(): Key | undefined {
    const [key] = this.#held.keys();
    return key;
  }

  /** Everything, the oldest first; a copy, so that it may be changed meanwhile. */
  list(): readonly Value[] {
    return [...this.#held.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }
}
