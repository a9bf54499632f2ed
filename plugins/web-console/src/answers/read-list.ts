import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer } from '@portolan/plugin-api';
import type { View } from '../layout/view.ts';
import { listPath } from './entry-addresses.ts';
import { type EntryType, entryOf, TYPE_WORDS } from './entry.ts';
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

/** Of a list that has more than a page of the API, while the rest is being read. */
export interface FirstEntries {
  readonly first: readonly Summary[];
}

/** What the API answers instead of a list. */
export interface Refused {
  readonly refused: ApiAnswer;
}

/** A list, with what stands for all of it as the visitor sees it; undefined: the API says nothing that does. */
export interface TaggedList {
  readonly type: EntryType;
  readonly path: string;
  readonly etag: string | undefined;
  /** The list itself, where the answer with the tag had all of it. */
  readonly whole?: EntryIndex;
}

/** Entries of one registry and type that are looked through. */
const MAX_ENTRIES = 30_000;
/** Of the API. Each request is a line of the log, and keeps all others waiting for some milliseconds. */
const PAGE_SIZE = 100;
/** After the first page, where nobody waits for the rest: who has asked is shown it meanwhile, often by a browser on this machine. */
const HEAD_START_MS = 250;
const SHOWN_DESCRIPTION = 300;
const SEARCHED_DESCRIPTION = 2000;

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
  return { entries: entriesOf(type, page), isCut: false, hasMore: nextCursorOf(page) !== undefined };
}

/** The list of which this is the first page, if there is no other. */
export function wholeOf(type: EntryType, answer: ApiAnswer): EntryIndex | undefined {
  const page = mapOf(answer.json);
  return nextCursorOf(page) === undefined ? { entries: entriesOf(type, page), isCut: false } : undefined;
}

function entriesOf(type: EntryType, page: Readonly<Record<string, unknown>>): readonly Summary[] {
  return listOf(page[TYPE_WORDS[type].path]).map((item) => summaryOf(type, item));
}

function nextCursorOf(page: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(mapOf(page['metadata'])['nextCursor']);
}

/** Between who reads a list and who waits for it. */
export interface Telling {
  /** Told once what a list begins with that is longer than one page of the API. */
  readonly isLong: (first: FirstEntries) => void;
  /** Aborted when somebody waits for the whole list. */
  readonly hurry: AbortSignal;
}

export type Read = (EntryIndex & { readonly changed?: boolean }) | Refused;

/** Reads a list, and looks whether it has changed meanwhile. */
export async function readUnchanged(
  view: Pick<View, 'api'>,
  path: string,
  type: EntryType,
  { etag, ...telling }: Telling & { readonly etag: string },
): Promise<Read> {
  const read = await readAll(view, path, type, telling);
  if ('refused' in read) return read;
  const again = await view.api({
    path,
    query: { version: 'latest', limit: '1' },
    headers: { 'If-None-Match': etag },
  });
  return { ...read, changed: again.status !== 304 };
}

export async function readAll(
  view: Pick<View, 'api'>,
  path: string,
  type: EntryType,
  { isLong, hurry }: Telling,
): Promise<EntryIndex | Refused> {
  const entries: Summary[] = [];
  let cursor: string | undefined;
  for (;;) {
    const sinceMs = performance.now();
    const isFirst = cursor === undefined;
    const answer = await view.api({
      path,
      query: { version: 'latest', limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
    });
    if (answer.status !== 200) return { refused: answer };
    const page = mapOf(answer.json);
    entries.push(...entriesOf(type, page));
    cursor = nextCursorOf(page);
    if (cursor === undefined || entries.length >= MAX_ENTRIES)
      return { entries, isCut: cursor !== undefined };
    if (isFirst) {
      isLong({ first: [...entries] });
      await pause(HEAD_START_MS, undefined, { ref: false, signal: hurry }).catch(() => undefined);
    }
    // Other requests come first: one after the other, these would keep the process to themselves.
    else await pause(performance.now() - sinceMs);
  }
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

/** A list that is being read, or was. */
export interface Reading {
  readonly whole: Promise<Read>;
  /** Resolves when there turns out to be more than a page of the API, never for a short list; with nothing where that may not be shown. */
  readonly long: Promise<FirstEntries | undefined>;
  /** Whether it was read, and is what its tag stands for. */
  readonly isConfirmed: boolean;
  /** Somebody waits for the whole list. */
  readonly hurry: () => void;
}
