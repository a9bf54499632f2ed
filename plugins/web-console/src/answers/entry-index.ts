import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer } from '@portolan/plugin-api';
import type { View } from '../layout/page.ts';
import { listPath } from './entry-addresses.ts';
import { type EntryType, entryOf, TYPE_WORDS } from './entry.ts';
import { keyOf, KnownTogether } from './known-together.ts';
import { listOf, mapOf, shortened, textOf } from './json-value.ts';
import { RegistryLists } from './registry-lists.ts';

/** What lists show of an entry, and what they are searched by. */
export interface Summary {
  readonly type: EntryType;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly status: string;
  readonly tier: string | undefined;
  readonly tags: readonly string[];
  readonly transports: readonly string[];
  readonly ways: readonly string[];
  /** Name, title and the whole description in lower case: what the API's own search looks into. */
  readonly searched: string;
}

/** The latest version of every entry of a type that somebody may see. */
export interface EntryIndex {
  readonly entries: readonly Summary[];
  /** There are more than are looked through: the rest is left out. */
  readonly isCut: boolean;
}

/** What the API answers instead of a list. */
export interface Refused {
  readonly refused: ApiAnswer;
}

/** Characters that are kept in memory, over all lists that are known; with what belongs to each entry. */
const MOST_KEPT = 40_000_000;
const OF_EACH_ENTRY = 630;
/** Entries of one registry and type that are looked through. */
const MOST_ENTRIES = 30_000;
/** Each request of the API is a line of the log, and keeps all others waiting for some milliseconds. */
const PAGE_SIZE = 100;
const SHOWN_DESCRIPTION = 300;
const SEARCHED_DESCRIPTION = 2000;

/** A list, with what stands for all of it as the visitor sees it; undefined: the API says nothing that does. */
export interface TaggedList {
  readonly type: EntryType;
  readonly path: string;
  readonly etag: string | undefined;
}

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
  reading(view: Pick<View, 'api'>, { type, path, etag }: TaggedList): Reading {
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
    isLong: () => void,
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

/** The first of those whose name, title or description has a text in it; read from the API at once. */
export async function readFirst(
  view: Pick<View, 'api'>,
  registry: string,
  type: EntryType,
  search: string,
  limit: number,
): Promise<(EntryIndex & { readonly hasMore: boolean }) | Refused> {
  const answer = await view.api({
    path: listPath(registry, type),
    query: { version: 'latest', limit: String(limit), ...(search === '' ? {} : { search }) },
  });
  if (answer.status !== 200) return { refused: answer };
  const page = mapOf(answer.json);
  const entries = listOf(page[TYPE_WORDS[type].path]).map((item) => summaryOf(type, item));
  return { entries, isCut: false, hasMore: textOf(mapOf(page['metadata'])['nextCursor']) !== undefined };
}

/** A list that is being read, or was. */
export interface Reading {
  readonly whole: Promise<EntryIndex | Refused>;
  /** Resolves when there turns out to be more than a page of the API; never for a short list. */
  readonly long: Promise<undefined>;
}

function readingOf(read: (isLong: () => void) => Promise<EntryIndex | Refused>): Reading {
  const { promise: long, resolve } = Promise.withResolvers<undefined>();
  const whole = read(() => resolve(undefined));
  // Who waits for it is told of a failure; it is nobody's where nobody does.
  whole.catch(() => undefined);
  return { whole, long };
}

type Read = (EntryIndex & { readonly changed: boolean }) | Refused;

/** Reads the list, and looks whether it has changed meanwhile. */
async function readUnchanged(
  view: Pick<View, 'api'>,
  path: string,
  type: EntryType,
  { etag, isLong }: { readonly etag: string; readonly isLong: () => void },
): Promise<Read> {
  const read = await readAll(view, path, type, isLong);
  if ('refused' in read) return read;
  const again = await view.api({
    path,
    query: { version: 'latest', limit: '1' },
    headers: { 'If-None-Match': etag },
  });
  return { ...read, changed: again.status !== 304 };
}

async function readAll(
  view: Pick<View, 'api'>,
  path: string,
  type: EntryType,
  isLong: () => void,
): Promise<EntryIndex | Refused> {
  const entries: Summary[] = [];
  let cursor: string | undefined;
  for (;;) {
    const sinceMs = performance.now();
    const answer = await view.api({
      path,
      query: { version: 'latest', limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
    });
    if (answer.status !== 200) return { refused: answer };
    const page = mapOf(answer.json);
    entries.push(...listOf(page[TYPE_WORDS[type].path]).map((item) => summaryOf(type, item)));
    cursor = textOf(mapOf(page['metadata'])['nextCursor']);
    if (cursor === undefined || entries.length >= MOST_ENTRIES)
      return { entries, isCut: cursor !== undefined };
    isLong();
    // Other requests come first: one after the other, these would keep the process to themselves.
    await pause(performance.now() - sinceMs);
  }
}

function weightOf({ entries }: EntryIndex): number {
  return entries.reduce(
    (sum, { searched, description }) => sum + OF_EACH_ENTRY + searched.length + description.length,
    0,
  );
}

/** Texts that were cut out of a document keep all of it in memory, unless they are made anew. */
function summaryOf(type: EntryType, item: unknown): Summary {
  const { name, title, description, version, status, tier, tags, transports, ways } = entryOf(type, item);
  return {
    type,
    name,
    title: shortened(title, 120),
    description: shortened(description, SHOWN_DESCRIPTION),
    version,
    status,
    tier,
    tags: tags.slice(0, 20).map((tag) => shortened(tag, 60)),
    transports,
    ways,
    searched: `${name}\n${title}\n${description.slice(0, SEARCHED_DESCRIPTION)}`.toLowerCase(),
  };
}
