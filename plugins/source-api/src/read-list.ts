import type { DocumentAnswer } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { cursorUnusable, listTooLong, pageUnusable } from './errors.ts';
import { KnownRows } from './known-rows.ts';
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
 * Yields the rows of a list page by page, of which it holds one. What a row has
 * wrong is told with the row; a fault of the pages themselves throws
 * ERR_SOURCE_API_*, since nobody can say then what the list has. Answers whether
 * there was a list to read.
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
    const isNew = yield* readRows(list, page.rows, number, known);
    if (page.cursor === undefined) return true;
    if (cursors.has(page.cursor)) throw cursorUnusable(what, 'its cursor has led here before');
    emptyPages = isNew ? 0 : emptyPages + 1;
    if (page.rows.length > 0 && !isNew) throw cursorUnusable(what, 'it has only rows of earlier pages');
    if (emptyPages > MOST_EMPTY_PAGES) throw cursorUnusable(what, 'pages without rows follow each other');
    cursors.add(page.cursor);
    cursor = page.cursor;
  }
}

/** Whether one of them was not on an earlier page. */
async function* readRows(
  list: ListOfType,
  rows: readonly unknown[],
  page: number,
  known: KnownRows,
): AsyncGenerator<SourceEntry | SkippedEntry, boolean> {
  let isNew = false;
  for (const [index, row] of rows.entries()) {
    const place = `${list.key}[${index}] of page ${page}`;
    const read = parseRow(list, row, place);
    const { name, version } = read;
    isNew = known.add(name, version) || isNew;
    if (known.isOtherCase(name)) {
      const because = 'Its name differs from an earlier one in upper and lower case alone.';
      yield { skipped: `${place} (${name.slice(0, 200)})`, because, scope: list.key };
    } else yield { ...read.item, scope: list.key };
  }
  return isNew;
}
