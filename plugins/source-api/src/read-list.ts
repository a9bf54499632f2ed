import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { cursorUnusable, listContradictory, listTooLong, pageUnusable } from './errors.ts';
import { KnownTexts } from './known-texts.ts';
import type { ListOfType } from './lists.ts';
import { type AskPage, PageReader } from './page-reader.ts';

/** Number of empty pages in a row after which the list counts as endless. */
const MAX_EMPTY_PAGES = 100;

export interface ListLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
}

/**
 * Keeps one page in memory. A fault of a document is reported with its row; a fault of the list (paging, a
 * repeated version, a name in two cases) throws ERR_SOURCE_API_* after its page, because the content of the
 * list is then unclear. Returns whether the list exists.
 */
export async function* readList(
  list: ListOfType,
  limits: ListLimits,
  ask: AskPage,
): AsyncGenerator<SourceEntry | SkippedEntry, boolean> {
  const cursors = new KnownTexts();
  const reader = new PageReader(list, ask);
  let cursor: string | undefined;
  let entries = 0;
  let emptyPages = 0;
  for (let number = 1; ; number += 1) {
    if (number > limits.maxPages) throw listTooLong(limits.maxPages, 'pages', 'maxPages');
    const page = yield* reader.read(number, cursor);
    if (page === undefined) {
      if (cursor === undefined) return false;
      throw pageUnusable(`page ${number} of the ${list.key}`, 'it is not there');
    }
    const { what, rowCount, isRepeated, contradiction } = page;
    entries += rowCount;
    if (entries > limits.maxEntries) throw listTooLong(limits.maxEntries, 'versions', 'maxEntries');
    cursor = page.cursor;
    if (cursor !== undefined) {
      if (!cursors.add('cursor', cursor)) throw cursorUnusable(what, 'its cursor has led here before');
      if (isRepeated) throw cursorUnusable(what, 'it has only rows of earlier pages');
      emptyPages = rowCount > 0 ? 0 : emptyPages + 1;
      if (emptyPages > MAX_EMPTY_PAGES) throw cursorUnusable(what, 'pages without rows follow each other');
    }
    if (contradiction !== undefined) throw listContradictory(contradiction);
    if (cursor === undefined) return true;
  }
}
