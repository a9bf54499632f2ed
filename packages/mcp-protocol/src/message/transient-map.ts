interface Held<Value> {
  value: Value | undefined;
}

/**
 * Map for short-lived entries: V8 may keep the old table of a `Map` until the next full garbage collection.
 * Values are never undefined.
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

  oldest(): Key | undefined {
    const [key] = this.#held.keys();
    return key;
  }

  /** Returns a copy, oldest first, so that the map may change during iteration. */
  list(): readonly Value[] {
    return [...this.#held.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }
}
