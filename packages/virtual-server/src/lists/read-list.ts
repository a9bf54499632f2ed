import {
  elementsOf,
  findValue,
  isJsonObject,
  memberOf,
  type JsonRecord,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { ListKind } from './list-kind.ts';

/** Maximum number of items of one list of one member. */
const MAX_ITEMS = 10_000;
/** Maximum size of one list of one member in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_PAGES = 1000;

export interface ListItem {
  /** Name, URI or template of the item. */
  readonly id: string;
  /** JSON of the item as the member wrote it. */
  readonly text: string;
}

/** List of one member as one view of it shows it. Lists are compared by identity, so they are never changed. */
export interface MemberList {
  readonly items: readonly ListItem[];
  /** Milliseconds for which the member lets clients keep the list. Undefined when it says nothing. */
  readonly ttlMs: number | undefined;
  readonly isPrivate: boolean;
  /** What was left out, as a sentence. */
  readonly finding: string | undefined;
}

export const EMPTY_LIST: MemberList = { items: [], ttlMs: undefined, isPrivate: false, finding: undefined };

/** Requests one page. Rejects when the member does not respond with a result. */
export type FetchPage = (cursor: string | undefined) => Promise<ResponseMessage>;

/** Reads all pages of a list, within the limits for one member. Rejects with the errors of `fetchPage`. */
export async function readList(kind: ListKind, fetchPage: FetchPage): Promise<MemberList> {
  const items = new Map<string, ListItem>();
  let ttlMs: number | undefined;
  let isPrivate = false;
  let characters = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const response = await fetchPage(cursor);
    const result = isJsonObject(response.result) ? response.result : {};
    ttlMs = smaller(ttlMs, memberOf(result, 'ttlMs'));
    isPrivate ||= memberOf(result, 'cacheScope') === 'private';
    for (const item of itemsIn(kind, response.text, result)) {
      characters += item.text.length;
      if (items.size >= MAX_ITEMS || characters > MAX_CHARACTERS)
        return { items: [...items.values()], ttlMs, isPrivate, finding: tooLong(kind) };
      // A server that lists a name twice means the same item.
      if (!items.has(item.id)) items.set(item.id, item);
    }
    const next = memberOf(result, 'nextCursor');
    if (typeof next !== 'string' || next === cursor) break;
    cursor = next;
  }
  return { items: [...items.values()], ttlMs, isPrivate, finding: undefined };
}

function itemsIn(kind: ListKind, text: string, result: JsonRecord): readonly ListItem[] {
  const values = memberOf(result, kind.items);
  const span = findValue(text, ['result', kind.items]);
  if (!Array.isArray(values) || span === undefined) return [];
  const spans = [...elementsOf(text, span.start)];
  return values.flatMap((value: unknown, at) => {
    const id = isJsonObject(value) ? memberOf(value, kind.id) : undefined;
    const place = spans[at];
    if (typeof id !== 'string' || place === undefined) return [];
    return [{ id, text: text.slice(place.start, place.end) }];
  });
}

function smaller(known: number | undefined, value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0)) return known;
  return known === undefined ? value : Math.min(known, value);
}

function tooLong({ items }: ListKind): string {
  return `Its list "${items}" is longer than ${MAX_ITEMS} items or 16 MiB, and is shown in part.`;
}
