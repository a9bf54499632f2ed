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

/** Characters that are kept in memory, over all lists that are known; with what belongs to each entry. */
const MAX_KEPT = 40_000_000;
const OF_EACH_ENTRY = 630;

/**
 * Lists of entries, read from the API page by page and kept as long as they are
 * right: the entity tag of a list changes with anything that any page of it
 * shows, and stands for what its reader may see, so that two readers with the
 * same tag are shown the same. Where the API gives no tag, nothing is kept.
 */
export class EntryIndexes implements SharedLists {
  readonly #kept = new Map<string, Reading>();
  #size = 0;
  /** Tags of the lists of a registry, by that of any of them. */
  readonly together = new KnownTogether();

  /** What a registry has for the visitor of this view, as it is now. The API is asked about this type first. */
  of(view: Pick<View, 'api'>, registry: string, first: EntryType): RegistryLists {
    return new RegistryLists(this, view, registry, first);
  }

  /**
   * The list as it is kept, or begins to be read. Who finds that somebody else is reading
   * it waits until it is known to be theirs, too: it may change after both have its tag.
   */
  reading(view: Pick<View, 'api'>, { type, path, etag, whole }: TaggedList): Reading {
    if (whole !== undefined) return confirmed(whole);
    const own = (): Reading => readingOf((telling) => readAll(view, path, type, telling));
    if (etag === undefined) return own();
    const key = keyOf({ path, etag });
    const known = this.#kept.get(key);
    // Used last, so that it goes last.
    this.#kept.delete(key);
    const reading = known ?? readingOf((telling) => readUnchanged(view, path, type, { ...telling, etag }));
    this.#kept.set(key, reading);
    if (known !== undefined) return known.isConfirmed ? known : joined(known, own);
    void this.#keep(key, reading);
    return reading;
  }

  /** Keeps what was read as long as it is right; whoever waits for it is told of a failure. */
  async #keep(key: string, reading: Reading): Promise<void> {
    const read = await reading.whole.catch(() => undefined);
    if (this.#kept.get(key) !== reading) return;
    if (read === undefined || 'refused' in read || read.changed === true) {
      this.#kept.delete(key);
      return;
    }
    this.#kept.set(key, confirmed(read));
    await this.#makeRoom(key, weightOf(read));
  }

  /** For what was added under a key, which stays however large it is. */
  async #makeRoom(addedKey: string, added: number): Promise<void> {
    this.#size += added;
    for (const [key, { whole, isConfirmed }] of this.#kept) {
      if (this.#size <= MAX_KEPT) return;
      if (key === addedKey || !isConfirmed) continue; // the others are still read, and counted once they are
      this.#kept.delete(key);
      const read = await whole;
      this.#size -= 'refused' in read ? 0 : weightOf(read);
    }
  }
}

function readingOf(read: (telling: Telling) => Promise<Read>): Reading {
  const { promise: long, resolve } = Promise.withResolvers<FirstEntries>();
  const hurry = new AbortController();
  const whole = read({ isLong: resolve, hurry: hurry.signal });
  // Who waits for it is told of a failure; it is nobody's where nobody does.
  whole.catch(() => undefined);
  return { whole, long, isConfirmed: false, hurry: () => hurry.abort() };
}

function confirmed(whole: EntryIndex): Reading {
  const { promise: long } = Promise.withResolvers<undefined>();
  return { whole: Promise.resolve(whole), long, isConfirmed: true, hurry: () => undefined };
}

/** What somebody else reads, for a visitor who may see it if it does not change meanwhile; else they read their own. */
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
