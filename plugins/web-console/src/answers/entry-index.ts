import type { View } from '../layout/page.ts';
import type { EntryType } from './entry.ts';
import { keyOf, KnownTogether } from './known-together.ts';
import {
  type EntryIndex,
  type FirstEntries,
  type IsLong,
  readAll,
  readUnchanged,
  type Refused,
  type TaggedList,
} from './read-list.ts';
import { RegistryLists } from './registry-lists.ts';

/** Characters that are kept in memory, over all lists that are known; with what belongs to each entry. */
const MOST_KEPT = 40_000_000;
const OF_EACH_ENTRY = 630;

/**
 * Lists of entries, read from the API page by page and kept as long as they are
 * right: the entity tag of a list changes with anything that any page of it
 * shows, and stands for what its reader may see, so that two readers with the
 * same tag are shown the same. Where the API gives no tag, nothing is kept.
 */
export class EntryIndexes {
  readonly #kept = new Map<string, Reading>();
  #size = 0;
  /** Tags of the lists of a registry, by that of any of them. */
  readonly together = new KnownTogether();

  /** What a registry has for the visitor of this view, as it is now. The API is asked about this type first. */
  of(view: Pick<View, 'api'>, registry: string, first: EntryType): RegistryLists {
    return new RegistryLists(this, view, registry, first);
  }

  /** The list as it is kept, or begins to be read. */
  reading(view: Pick<View, 'api'>, { type, path, etag, whole }: TaggedList): Reading {
    if (whole !== undefined) return readingOf(() => Promise.resolve(whole));
    if (etag === undefined) return readingOf((isLong) => readAll(view, path, type, isLong));
    const key = keyOf({ path, etag });
    const known = this.#kept.get(key);
    // Used last, so that it goes last.
    this.#kept.delete(key);
    const reading = known ?? readingOf((isLong) => this.#read(view, key, { path, type, etag }, isLong));
    this.#kept.set(key, reading);
    return reading;
  }

  async #read(
    view: Pick<View, 'api'>,
    key: string,
    { path, type, etag }: { readonly path: string; readonly type: EntryType; readonly etag: string },
    isLong: IsLong,
  ): Promise<EntryIndex | Refused> {
    try {
      const read = await readUnchanged(view, path, type, { etag, isLong });
      if ('refused' in read || read.changed) this.#kept.delete(key);
      else await this.#makeRoom(weightOf(read));
      return read;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  async #makeRoom(added: number): Promise<void> {
    this.#size += added;
    for (const [key, { whole }] of this.#kept) {
      if (this.#size <= MOST_KEPT || this.#kept.size === 1) return;
      this.#kept.delete(key);
      const read = await whole.catch(() => undefined);
      this.#size -= read === undefined || 'refused' in read ? 0 : weightOf(read);
    }
  }
}

/** A list that is being read, or was. */
export interface Reading {
  readonly whole: Promise<EntryIndex | Refused>;
  /** Resolves when there turns out to be more than a page of the API; never for a short list. */
  readonly long: Promise<FirstEntries>;
}

function readingOf(read: (isLong: IsLong) => Promise<EntryIndex | Refused>): Reading {
  const { promise: long, resolve } = Promise.withResolvers<FirstEntries>();
  const whole = read(resolve);
  // Who waits for it is told of a failure; it is nobody's where nobody does.
  whole.catch(() => undefined);
  return { whole, long };
}

function weightOf({ entries }: EntryIndex): number {
  return entries.reduce(
    (sum, { searched, description }) => sum + OF_EACH_ENTRY + searched.length + description.length,
    0,
  );
}
