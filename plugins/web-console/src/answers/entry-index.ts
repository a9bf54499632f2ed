import { setImmediate } from 'node:timers/promises';
import type { ApiAnswer } from '@portolan/plugin-api';
import type { View } from '../layout/page.ts';
import { type EntryType, entryOf, TYPE_WORDS } from './entry.ts';
import { listPath } from './entry-addresses.ts';
import { listOf, mapOf, shortened, textOf } from './json-value.ts';

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
const OF_EACH_ENTRY = 500;
/** Entries of one registry and type that are looked through. */
const MOST_ENTRIES = 30_000;
/** Each request of the API is a line of the log, and keeps all others waiting for some milliseconds. */
const PAGE_SIZE = 250;
const SHOWN_DESCRIPTION = 300;
const SEARCHED_DESCRIPTION = 2000;

/**
 * Lists of entries, read from the API page by page and kept as long as they are
 * right: the entity tag of a list changes with anything that any page of it
 * shows, and stands for what its reader may see, so that two readers with the
 * same tag are shown the same. Where the API gives no tag, nothing is kept.
 */
export class EntryIndexes {
  readonly #kept = new Map<string, Promise<EntryIndex | Refused>>();
  #size = 0;

  /** The entries of a type that the visitor of this view may see, as they are now. */
  async find(view: Pick<View, 'api'>, registry: string, type: EntryType): Promise<EntryIndex | Refused> {
    const path = listPath(registry, type);
    const first = await view.api({ path, query: { version: 'latest', limit: '1' } });
    if (first.status !== 200) return { refused: first };
    const { etag } = first.headers;
    if (etag === undefined || first.headers['portolan-tag-covers'] !== 'list')
      return await readAll(view, path, type);
    const key = `${path} ${etag}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      // Used last, so that it goes last.
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return await known;
    }
    const reading = readUnchanged(view, path, type, etag);
    this.#kept.set(key, reading);
    try {
      const read = await reading;
      if ('refused' in read || read.changed) this.#kept.delete(key);
      else await this.#makeRoom(weightOf(read));
      return read;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  /** The same, if it is known within this time; undefined where it takes longer. It is read on, for whoever asks next. */
  async findSoon(
    view: Pick<View, 'api'>,
    registry: string,
    type: EntryType,
    withinMs: number,
  ): Promise<EntryIndex | Refused | undefined> {
    const reading = this.find(view, registry, type);
    // Whoever has not waited is not told of its failure; who asks next finds it again.
    reading.catch(() => undefined);
    const { promise: late, resolve: giveUp } = Promise.withResolvers<undefined>();
    const timer = setTimeout(giveUp, withinMs, undefined);
    try {
      return await Promise.race([reading, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #makeRoom(added: number): Promise<void> {
    this.#size += added;
    for (const [key, reading] of this.#kept) {
      if (this.#size <= MOST_KEPT || this.#kept.size === 1) return;
      this.#kept.delete(key);
      const read = await reading.catch(() => undefined);
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

type Read = (EntryIndex & { readonly changed: boolean }) | Refused;

/** Reads the list, and looks whether it has changed meanwhile. */
async function readUnchanged(
  view: Pick<View, 'api'>,
  path: string,
  type: EntryType,
  etag: string,
): Promise<Read> {
  const read = await readAll(view, path, type);
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
): Promise<EntryIndex | Refused> {
  const entries: Summary[] = [];
  let cursor: string | undefined;
  do {
    const answer = await view.api({
      path,
      query: { version: 'latest', limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
    });
    if (answer.status !== 200) return { refused: answer };
    const page = mapOf(answer.json);
    entries.push(...listOf(page[TYPE_WORDS[type].path]).map((item) => summaryOf(type, item)));
    cursor = textOf(mapOf(page['metadata'])['nextCursor']);
    // Other requests come first: one after the other, these would keep the process to themselves.
    await setImmediate();
  } while (cursor !== undefined && entries.length < MOST_ENTRIES);
  return { entries, isCut: cursor !== undefined };
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
