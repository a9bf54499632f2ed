import type { Contradiction } from './errors.ts';
import type { Taken } from '@portolan/entry-format';
import type { DocumentResponse } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { KnownRows } from './known-rows.ts';
import type { ListOfType } from './lists.ts';
import { parsePage } from './parse-page.ts';
import { parseRow, type Row } from './parse-row.ts';

/** Function that requests one page. Returns undefined where the list is not available in this form. */
export type AskPage = (cursor: string | undefined, what: string) => Promise<DocumentResponse | undefined>;

export interface ReadPage {
  /** Description for messages: `page 3 of the servers`. */
  readonly what: string;
  readonly rowCount: number;
  /** Cursor of the next page; undefined on the last page. */
  readonly cursor: string | undefined;
  /** Whether all rows of the page appeared before in the list. */
  readonly isRepeated: boolean;
  /** The first row that contradicts another one. */
  readonly contradiction: Contradiction | undefined;
}

/** Reads pages and compares their rows with all earlier ones. */
export class PageReader {
  readonly #list: ListOfType;
  readonly #ask: AskPage;
  readonly #known = new KnownRows();

  constructor(list: ListOfType, ask: AskPage) {
    this.#list = list;
    this.#ask = ask;
  }

  /**
   * Yields a few rows at a time, so that other work can run; returns the result for the page. Undefined where
   * the page is not available; throws ERR_SOURCE_RESPONSE for an invalid one.
   */
  async *read(
    number: number,
    cursor: string | undefined,
  ): AsyncGenerator<SourceEntry | SkippedEntry, ReadPage | undefined> {
    const list = this.#list;
    const what = `page ${number} of the ${list.key}`;
    const response = await this.#ask(cursor, what);
    if (response === undefined) return undefined;
    let contradiction: Contradiction | undefined;
    let [index, repeated] = [0, 0];
    const pieces = parsePage(what, list.key, response.bytes, cursor === undefined);
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) {
        const isRepeated = repeated > 0 && repeated === index;
        return { what, ...value, isRepeated, contradiction };
      }
      for (const taken of value) {
        const place = `${list.key}[${index}] of page ${number}`;
        const { address, item } = rowOf(list, taken, place);
        index += 1;
        const fault = address === undefined ? undefined : this.#known.add(address.name, address.version);
        if (fault === 'twice') repeated += 1;
        if (address !== undefined && fault !== undefined)
          contradiction ??= { place, name: address.name, fault };
        yield { ...item, scope: list.key };
      }
    }
  }
}

function rowOf(list: ListOfType, taken: Taken, place: string): Row {
  if (taken.ok) return parseRow(list, taken.value, place);
  return { address: undefined, item: { skipped: place, because: `The row is ${taken.because}.` } };
}
