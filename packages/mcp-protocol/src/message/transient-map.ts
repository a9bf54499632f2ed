interface Entry<Value> {
  value: Value | undefined;
}

/**
 * Map for short-lived entries: V8 may keep the old table of a `Map` until the next full garbage collection.
 * Values are never undefined.
 */
export class TransientMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value });
    else entry.value = value;
  }

  take(key: Key): Value | undefined {
    const record = this.#entries.get(key);
    if (record === undefined) return undefined;
    const { value } = record;
    this.#entries.delete(key);
    record.value = undefined;
    return value;
  }

  delete(key: Key): void {
    this.take(key);
  }

  oldest(): Key | undefined {
    const [key] = this.#entries.keys();
    return key;
  }

  /** Returns a copy, oldest first, so that the map may change during iteration. */
  list(): readonly Value[] {
    return [...this.#entries.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }
}
