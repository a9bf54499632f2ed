import type { EntryType } from './entry.ts';
import type { TaggedList } from './read-list.ts';

export type TogetherTags = Readonly<Record<EntryType, TaggedList>>;

const MAX_KNOWN = 500;

/**
 * Cache of the lists of all types in a registry; the key is the tag of any of these lists. A tag covers the
 * whole registry as its reader sees it. If one tag is unchanged, the other lists are unchanged too.
 */
export class KnownTogether {
  readonly #known = new Map<string, TogetherTags>();

  find(list: TaggedList): TogetherTags | undefined {
    const key = keyOf(list);
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    // The least recently used is evicted first.
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

export function keyOf({ path, etag }: Pick<TaggedList, 'path' | 'etag'>): string {
  return `${path} ${etag ?? ''}`;
}
