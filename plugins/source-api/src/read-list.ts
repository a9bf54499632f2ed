import type { DocumentAnswer } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { cursorUnusable, listContradictory, listTooLong, pageUnusable } from './errors.ts';
import { KnownRows, type RowFault } from './known-rows.ts';
import type { ListOfType } from './lists.ts';
import { parsePage } from './parse-page.ts';
import { parseRow } from './parse-row.ts';

/** More of them one after the other, and the list is taken to have no end. */
const MOST_EMPTY_PAGES = 100;

export interface ListLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
}

/** Gives the page behind a cursor, the first one without; undefined where the list cannot be had so. */
export type AskPage = (cursor: string | undefined, what: string) => Promise<DocumentAnswer | undefined>;

/**
 * Yields the rows of a list page by page, of which it holds one. What a document
 * has wrong is told with its row; a fault of the list itself (paging, a version
 * twice, a name in two cases) throws ERR_SOURCE_API_*, since nobody can say then
 * what the list has. Answers whether there was a list to read.
 */
export async function* readList(
  list: ListOfType,
  limits: ListLimits,
  ask: AskPage,
): AsyncGenerator<SourceEntry | SkippedEntry, boolean> {
  const cursors = new Set<string>();
  const known = new KnownRows();
  let cursor: string | undefined;
  let entries = 0;
  let emptyPages = 0;
  for (let number = 1; ; number += 1) {
    if (number > limits.maxPages) throw listTooLong(limits.maxPages, 'pages', 'maxPages');
    const what = `page ${number} of the ${list.key}`;
    const answer = await ask(cursor, what);
    if (answer === undefined) {
      if (cursor === undefined) return false;
      throw pageUnusable(what, 'it is not there');
    }
    const page = parsePage(what, list.key, answer.bytes);
    entries += page.rows.length;
    if (entries > limits.maxEntries) throw listTooLong(limits.maxEntries, 'versions', 'maxEntries');
    const { items, faults } = readRows(list, page.rows, number, known);
    const isRepeated =
      items.length > 0 && faults.filter(({ fault }) => fault === 'twice').length === items.length;
    if (page.cursor !== undefined) {
      if (cursors.has(page.cursor)) throw cursorUnusable(what, 'its cursor has led here before');
      if (isRepeated) throw cursorUnusable(what, 'it has only rows of earlier pages');
      emptyPages = items.length > 0 ? 0 : emptyPages + 1;
      if (emptyPages > MOST_EMPTY_PAGES) throw cursorUnusable(what, 'pages without rows follow each other');
      cursors.add(page.cursor);
    }
    const [first] = faults;
    if (first !== undefined) throw listContradictory(first.place, first.name, first.fault);
    yield* items;
    if (page.cursor === undefined) return true;
    cursor = page.cursor;
  }
}

interface FaultyRow {
  readonly place: string;
  readonly name: string;
  readonly fault: RowFault;
}

/** What the rows of a page say, and what none may have beside those before it. */
function readRows(list: ListOfType, rows: readonly unknown[], page: number, known: KnownRows) {
  const items: (SourceEntry | SkippedEntry)[] = [];
  const faults: FaultyRow[] = [];
  for (const [index, row] of rows.entries()) {
    const place = `${list.key}[${index}] of page ${page}`;
    const { address, item } = parseRow(list, row, place);
    items.push({ ...item, scope: list.key });
    if (address === undefined) continue;
    const fault = known.add(address.name, address.version);
    if (fault !== undefined) faults.push({ place, name: address.name, fault });
  }
  return { items, faults };
}
