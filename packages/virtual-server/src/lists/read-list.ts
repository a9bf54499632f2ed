import {
  elementsOf,
  findAmbiguity,
  findValue,
  isJsonObject,
  memberOf,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import { Turn } from '@portolan/proxy/turn';
import { quoteText } from '../names/shown-text.ts';
import type { ListKind } from './list-kind.ts';
import { weighItem } from './weigh-item.ts';

/** Maximum number of items of one list of one member. */
const MAX_ITEMS = 10_000;
/** Maximum size of one list of one member in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_PAGES = 1000;
/** Milliseconds after which no further page of a list is requested. */
const MAX_READ_MS = 120_000;
/** Maximum length of a URI or template. Names have their own rules. */
const MAX_ID = 8192;

export interface ListItem {
  /** Name, URI or template of the item. */
  readonly id: string;
  /** JSON of the item as the member wrote it. */
  readonly text: string;
  /** See `weighItem`. */
  readonly weight: number;
}

/** List of one member as one view of it shows it. Lists are compared by identity, so they are never changed. */
export interface MemberList {
  readonly items: readonly ListItem[];
  /** Milliseconds for which the member lets clients keep the list. Undefined when it says nothing. */
  readonly ttlMs: number | undefined;
  readonly isPrivate: boolean;
  /** Sentence that says which items are missing. */
  readonly finding: string | undefined;
}

export const EMPTY_LIST: MemberList = { items: [], ttlMs: undefined, isPrivate: false, finding: undefined };

/** Requests one page. Rejects when the member does not respond with a result. */
export type FetchPage = (cursor: string | undefined) => Promise<ResponseMessage>;

/** Reads all pages of a list, within the limits for one member. Rejects with the errors of `fetchPage`. */
export async function readList(
  kind: ListKind,
  fetchPage: FetchPage,
  nowMs: () => number = () => performance.now(),
): Promise<MemberList> {
  const reading = new Reading(kind);
  const cursors = new Set<string>();
  const endMs = nowMs() + MAX_READ_MS;
  let cursor: string | undefined;
  while (cursors.size < MAX_PAGES && nowMs() < endMs) {
    const response = await fetchPage(cursor);
    const isFull = await reading.take(response);
    const next = isJsonObject(response.result) ? memberOf(response.result, 'nextCursor') : undefined;
    if (isFull) return reading.toList(`is longer than ${MAX_ITEMS} items or 16 MiB`);
    if (typeof next !== 'string') return reading.toList();
    if (cursors.has(next)) return reading.toList('repeats its pages');
    cursors.add(next);
    cursor = next;
  }
  return reading.toList(`has more than ${MAX_PAGES} pages, or takes longer than 2 minutes`);
}

class Reading {
  readonly #kind: ListKind;
  readonly #items = new Map<string, ListItem>();
  readonly #turn = new Turn();
  #characters = 0;
  #ttlMs: number | undefined;
  #isPrivate = false;
  #fault: string | undefined;

  constructor(kind: ListKind) {
    this.#kind = kind;
  }

  /** Adds the items of a page. Returns whether the list is full. */
  async take({ text, result: value }: ResponseMessage): Promise<boolean> {
    const result = isJsonObject(value) ? value : {};
    this.#ttlMs = smaller(this.#ttlMs, memberOf(result, 'ttlMs'));
    this.#isPrivate ||= memberOf(result, 'cacheScope') === 'private';
    for (const [id, item] of itemsIn(this.#kind, text)) {
      this.#characters += item.length;
      if (this.#items.size >= MAX_ITEMS || this.#characters > MAX_CHARACTERS) return true;
      this.#add(id, item);
      if (this.#turn.isOver()) await this.#turn.yield();
    }
    return false;
  }

  toList(fault?: string): MemberList {
    const { items } = this.#kind;
    const finding = fault === undefined ? this.#fault : `Its list "${items}" ${fault}, and is shown in part.`;
    return { items: [...this.#items.values()], ttlMs: this.#ttlMs, isPrivate: this.#isPrivate, finding };
  }

  #add(id: string, text: string): void {
    // A server that lists a name twice means the same item.
    if (this.#items.has(id)) return;
    const fault = id.length > MAX_ID ? `its "${this.#kind.id}" is too long` : findFault(text);
    if (fault === undefined) this.#items.set(id, { id, text, weight: weighItem(text) });
    else this.#fault ??= `${quoteText(id)} in its list "${this.#kind.items}" is left out: ${fault}.`;
  }
}

/** Returns why the proxy would refuse a list with this item. One item must not cost all members their lists. */
function findFault(item: string): string | undefined {
  return findAmbiguity(`{"result":{"tools":[${item}]}}`);
}

/**
 * Yields the items of a page. Each is parsed by itself: of two lists with one name, the parsed message has the
 * last, and its text the first.
 */
function* itemsIn(kind: ListKind, text: string): Generator<readonly [id: string, text: string]> {
  const span = findValue(text, ['result', kind.items]);
  if (span === undefined) return;
  for (const { start, end } of elementsOf(text, span.start)) {
    const item = text.slice(start, end);
    const value: unknown = JSON.parse(item);
    const id = isJsonObject(value) ? memberOf(value, kind.id) : undefined;
    if (typeof id === 'string') yield [id, item];
  }
}

function smaller(known: number | undefined, value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0)) return known;
  const ms = Math.floor(Math.min(value, Number.MAX_SAFE_INTEGER));
  return known === undefined ? ms : Math.min(known, ms);
}
