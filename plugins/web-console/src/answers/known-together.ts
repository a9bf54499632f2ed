import type { EntryType } from './entry.ts';
import type { TaggedList } from './read-list.ts';

export type TogetherTags = Readonly<Record<EntryType, TaggedList>>;

const MAX_KNOWN = 500;

/**
 * The lists of all types that a registry has for somebody, by one of them. Its tag
 * changes with anything in the registry, also in the other lists, and with what its
 * reader may see: while it is the same, the others are, too.
 */
export class KnownTogether {
  readonly #known = new Map<string, TogetherTags>();

  find(list: TaggedList): TogetherTags | undefined {
    const key = keyOf(list);
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    // Used last, so that it goes last.
    this.#known.delete(key);
    this.#known.set(key, known);
    return known;
  }

  add(list: TaggedList, together: TogetherTags): void {
    this.#known.set(keyOf(list), together);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The same for the same list in the same state alone. */
export function keyOf({ path, etag }: Pick<TaggedList, 'path' | 'etag'>): string {
  return `${path} ${etag ?? ''}`;
}
