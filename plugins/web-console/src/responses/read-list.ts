import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from '@portolan/plugin-api';
import type { View } from '../layout/view.ts';
import { listPath } from './entry-addresses.ts';
import { type EntryType, entryOf, TYPE_WORDS } from './entry.ts';
import { listOf, mapOf, shortened, textOf } from './json-value.ts';

/** Properties of an entry that lists show and search. */
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
  /** Name, title and description in lower case, as the API searches them. */
  readonly searched: string;
}

/** Latest versions of all entries of a type that a visitor may see. */
export interface EntryIndex {
  readonly entries: readonly Summary[];
  /** Whether the list exceeds the maximum, so that the rest is left out. */
  readonly isCut: boolean;
}

/** Beginning of a list whose rest is still being read. */
export interface FirstEntries {
  readonly first: readonly Summary[];
}

export interface Refused {
  readonly refused: ApiResponse;
}

/** List with the entity tag that covers all of it. The tag is absent if the API gives none. */
export interface TaggedList {
  readonly type: EntryType;
  readonly path: string;
  readonly etag: string | undefined;
  /** Complete list, if the response with the tag contained it. */
  readonly whole?: EntryIndex;
}

/** Maximum number of entries of one registry and type that are searched. */
const MAX_ENTRIES = 30_000;
/**
 * Page size of API requests. Each request adds a log line and blocks other requests for some milliseconds.
 */
const PAGE_SIZE = 100;
/**
 * Pause after the first page if no caller waits for the complete list, while the browser shows the first
 * page.
 */
const HEAD_START_MS = 250;
const SHOWN_DESCRIPTION = 300;
const SEARCHED_DESCRIPTION = 2000;

/** Returns the first entries whose name, title or description contains a text, from one API request. */
export async function readFirst(
  view: Pick<View, 'api'>,
  registry: string,
  type: EntryType,
  search: string,
  limit: number,
): Promise<(EntryIndex & { readonly hasMore: boolean }) | Refused> {
  const response = await view.api({
    path: listPath(registry, type),
    query: { version: 'latest', limit: String(limit), ...(search === '' ? {} : { search }) },
  });
  if (response.status !== 200) return { refused: response };
  const page = mapOf(response.json);
  return { entries: entriesOf(type, page), isCut: false, hasMore: nextCursorOf(page) !== undefined };
}

/** Returns the complete list; undefined if the response contains only a part of it. */
export function wholeOf(type: EntryType, reply: ApiResponse): EntryIndex | undefined {
  const page = mapOf(reply.json);
  return nextCursorOf(page) === undefined ? { entries: entriesOf(type, page), isCut: false } : undefined;
}

function entriesOf(type: EntryType, page: Readonly<Record<string, unknown>>): readonly Summary[] {
  return listOf(page[TYPE_WORDS[type].path]).map((item) => summaryOf(type, item));
}

function nextCursorOf(page: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(mapOf(page['metadata'])['nextCursor']);
}

export interface Telling {
  /** Called once for a list that is longer than one page. */
  readonly isLong: (first: FirstEntries) => void;
  /** Aborted when a caller needs the complete list. */
  readonly hurry: AbortSignal;
}

export type Read = (EntryIndex & { readonly changed?: boolean }) | Refused;

/** Reads a list, then checks with `If-None-Match` whether it changed during the read. */
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
    const response = await view.api({
      path,
      query: { version: 'latest', limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
    });
    if (response.status !== 200) return { refused: response };
    const page = mapOf(response.json);
    entries.push(...entriesOf(type, page));
    cursor = nextCursorOf(page);
    if (cursor === undefined || entries.length >= MAX_ENTRIES)
      return { entries, isCut: cursor !== undefined };
    if (isFirst) {
      isLong({ first: [...entries] });
      await pause(HEAD_START_MS, undefined, { ref: false, signal: hurry }).catch(() => undefined);
    }
    // Yields to other requests, because this loop would otherwise block the process.
    else await pause(performance.now() - sinceMs);
  }
}

/** Summarizes an entry. Copies the texts, because substrings would keep the whole document in memory. */
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

export interface Reading {
  readonly whole: Promise<Read>;
  /**
   * Resolves with the first page of a list with more than one page; never for a short list. Resolves with
   * undefined if the visitor may not see the list.
   */
  readonly long: Promise<FirstEntries | undefined>;
  /** Whether the list is complete and matches its tag. */
  readonly isConfirmed: boolean;
  /** Signals that a caller waits for the complete list. */
  readonly hurry: () => void;
}
