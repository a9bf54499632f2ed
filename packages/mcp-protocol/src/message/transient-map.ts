interface Held<Value> {
  value: Value | undefined;
}

/**
 * Map for short-lived entries, such as pending requests. Values are never undefined. After many deletions, V8
 * replaces the table of a `Map`, and the old table keeps its values alive until the next full garbage
 * collection. This map stores each value in a box and empties the box on deletion, so that the value is freed
 * early.
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

  /** Removes an entry and returns its value. Undefined for an unknown key. */
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

  /** Returns the key of the oldest entry. */
  oldest(): Key | undefined {
    const [key] = this.#held.keys();
    return key;
  }

  /** Returns a copy of all values, oldest first, so that the map may change during iteration. */
  list(): readonly Value[] {
    return [...this.#held.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }
}
