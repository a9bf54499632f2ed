import {
  type Reading,
  type EntryIndex,
  type FirstEntries,
  type Read,
  readAll,
  readUnchanged,
  type TaggedList,
  type Telling,
} from './read-list.ts';
import type { View } from '../layout/view.ts';
import type { EntryType } from './entry.ts';
import { keyOf, KnownTogether } from './known-together.ts';
import { RegistryLists, type SharedLists } from './registry-lists.ts';

/** Maximum size of all cached lists, in characters. */
const MAX_KEPT = 40_000_000;
const OF_EACH_ENTRY = 630;

/**
 * Cache of entry lists by entity tag (ETag). The tag changes with any page of the list and covers what its
 * reader may see, so readers with the same tag share a list. A list without a tag is not cached.
 */
export class EntryIndexes implements SharedLists {
  readonly #readings = new Map<string, Reading>();
  #size = 0;
  /** Tags of the lists of all types in a registry. The key is the tag of any of these lists. */
  readonly together = new KnownTogether();

  /** Returns the lists of a registry for this visitor. Requests the list of type `first` first. */
  of(view: Pick<View, 'api'>, registry: string, first: EntryType): RegistryLists {
    return new RegistryLists(this, view, registry, first);
  }

  /**
   * Returns the cached list, or starts to read it. A caller that finds a read in progress waits until the
   * list is known to be unchanged.
   */
  reading(view: Pick<View, 'api'>, { type, path, etag, whole }: TaggedList): Reading {
    if (whole !== undefined) return confirmed(whole);
    const own = (): Reading => readingOf((telling) => readAll(view, path, type, telling));
    if (etag === undefined) return own();
    const key = keyOf({ path, etag });
    const known = this.#readings.get(key);
    // The least recently used is evicted first.
    this.#readings.delete(key);
    const reading = known ?? readingOf((telling) => readUnchanged(view, path, type, { ...telling, etag }));
    this.#readings.set(key, reading);
    if (known !== undefined) return known.isConfirmed ? known : joined(known, own);
    void this.#keep(key, reading);
    return reading;
  }

  /** Caches the list if it did not change while it was read. */
  async #keep(key: string, reading: Reading): Promise<void> {
    const read = await reading.whole.catch(() => undefined);
    if (this.#readings.get(key) !== reading) return;
    if (read === undefined || 'refused' in read || read.changed === true) {
      this.#readings.delete(key);
      return;
    }
    this.#readings.set(key, confirmed(read));
    await this.#makeRoom(key, weightOf(read));
  }

  /** Evicts lists until the cache fits its maximum size. Never evicts the list that was just added. */
  async #makeRoom(addedKey: string, added: number): Promise<void> {
    this.#size += added;
    for (const [key, { whole, isConfirmed }] of this.#readings) {
      if (this.#size <= MAX_KEPT) return;
      if (key === addedKey || !isConfirmed) continue; // unconfirmed lists are not counted yet
      this.#readings.delete(key);
      const read = await whole;
      this.#size -= 'refused' in read ? 0 : weightOf(read);
    }
  }
}

function readingOf(read: (telling: Telling) => Promise<Read>): Reading {
  const { promise: long, resolve } = Promise.withResolvers<FirstEntries>();
  const hurry = new AbortController();
  const whole = read({ isLong: resolve, hurry: hurry.signal });
  // Prevents an unhandled rejection if no reader waits for it.
  whole.catch(() => undefined);
  return { whole, long, isConfirmed: false, hurry: () => hurry.abort() };
}

function confirmed(whole: EntryIndex): Reading {
  const { promise: long } = Promise.withResolvers<undefined>();
  return { whole: Promise.resolve(whole), long, isConfirmed: true, hurry: () => undefined };
}

/** Returns the read of another visitor in progress. Reads the list again if it changed during that read. */
function joined(theirs: Reading, own: () => Reading): Reading {
  const find = async (): Promise<Read> => {
    const read = await theirs.whole;
    if (!('refused' in read) && read.changed !== true) return read;
    const mine = own();
    mine.hurry();
    return await mine.whole;
  };
  const whole = find();
  whole.catch(() => undefined);
  return { ...theirs, whole, long: theirs.long.then(() => undefined) };
}

function weightOf({ entries }: EntryIndex): number {
  return entries.reduce(
    (sum, { searched, description }) => sum + OF_EACH_ENTRY + searched.length + description.length,
    0,
  );
}
